# Runs at build time: turns the style sheet and the scripts of pages (src/report/assets) into one C++ source, so that the
# tool needs no files beside it. Expects `folder` and `output`.
file(GLOB styles ${folder}/*.css)
file(GLOB scripts ${folder}/*.js)

# String literals have a limited length in some compilers, and adjacent ones are joined.
function(clade_literal variable text)
  string(REPLACE "\n" ")page\"\nR\"page(\n" text "${text}")
  set(${variable} "R\"page(${text})page\"" PARENT_SCOPE)
endfunction()

function(clade_joined variable)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

clade_joined(style ${styles})
clade_joined(script ${scripts})
clade_literal(style "${style}")
clade_literal(script "(() => {\n\"use strict\";\n${script}\nstart();\n})();\n")
file(WRITE ${output} "#include \"report/page/assets.h\"

namespace clade {

std::string_view page_style() {
  return ${style};
}

std::string_view page_script() {
  return ${script};
}

}  // namespace clade
")
