#pragma once

#include <clade/types.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace clade::python {

namespace py = pybind11;

// Contiguous arrays. An argument that the library borrows is `noconvert`: others would be copied behind the user's
// back, and the copy be gone after the call.
template <class T>
using Array = py::array_t<T, py::array::c_style>;

// Keeps an array alive; what is borrowed from it may be freed on any thread, which then takes the interpreter's lock.
inline std::shared_ptr<const void> owner_of(const py::array& array) {
  return {new py::array(array), [](const py::array* kept) {
            const py::gil_scoped_acquire locked;
            delete kept;
          }};
}

template <class T>
Buffer<T> borrowed(const Array<T>& array) {
  if (array.size() == 0) return Buffer<T>(0);
  return Buffer<T>::borrowed(array.data(), array.size(), owner_of(array));
}

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// An array over memory that a moved-in object keeps, and that only this array uses.
template <class T, class Owner>
py::array_t<T> array_over(const T* data, std::vector<py::ssize_t> shape, Owner owner) {
  auto* kept = new Owner(std::move(owner));
  const py::capsule base(kept, [](void* pointer) { delete static_cast<Owner*>(pointer); });
  return py::array_t<T>(std::move(shape), data, base);
}

// The same over memory that others use, too, or that a file is mapped to: Python must not write there.
template <class T, class Owner>
py::array_t<T> view_of(const T* data, std::vector<py::ssize_t> shape, Owner owner) {
  py::array_t<T> view = array_over(data, std::move(shape), std::move(owner));
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return array_over(kept->data(), {std::ssize(*kept)}, kept);
}

inline py::str text_of(const std::string& text) {
  // Names in data may contain any bytes.
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape"));
}

inline py::list texts_of(std::span<const std::string> texts) {
  py::list list(texts.size());
  for (std::size_t k = 0; k < texts.size(); ++k) list[k] = text_of(texts[k]);
  return list;
}

// Texts of Python may hold bytes that are not UTF-8, kept as text_of() makes them.
inline std::string bytes_of(py::handle text) {
  if (!PyUnicode_Check(text.ptr())) {
    throw py::type_error("expected a text, not " + py::str(py::type::handle_of(text)).cast<std::string>());
  }
  const py::object bytes =
      py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw py::error_already_set();
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

inline std::vector<std::string> strings_of(const py::sequence& texts) {
  std::vector<std::string> strings;
  strings.reserve(texts.size());
  for (const auto& text : texts) strings.push_back(bytes_of(text));
  return strings;
}

}  // namespace clade::python
