# toml++: its package file links a library that Clade does not need, for it uses the header alone.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TomlPlusPlus REQUIRED_VARS TOMLPLUSPLUS_INCLUDE_DIR)
if(TomlPlusPlus_FOUND AND NOT TARGET TomlPlusPlus::TomlPlusPlus)
  add_library(TomlPlusPlus::TomlPlusPlus INTERFACE IMPORTED)
  set_target_properties(TomlPlusPlus::TomlPlusPlus PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TOMLPLUSPLUS_INCLUDE_DIR})
endif()
