// Fields of XPlane messages, for what is put behind a capture: looked up in it, and written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <protozero/pbf_writer.hpp>

namespace gait::write {

// A field of a message: the last one of that number.
std::optional<std::string_view> BytesOf(std::string_view message, uint32_t number);
std::optional<int64_t> IntegerOf(std::string_view message, uint32_t number);

// An entry of a plane's table of events or stats: the name of an id.
void AddNamed(protozero::pbf_writer& plane, uint32_t table, uint64_t id, std::string_view name);

}  // namespace gait::write
