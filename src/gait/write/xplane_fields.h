// Reads and writes fields of XPlane messages, for data that is appended to a capture.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <protozero/pbf_writer.hpp>

namespace gait::write {

// The last field of that number in a message.
std::optional<std::string_view> BytesOf(std::string_view message, uint32_t number);
std::optional<int64_t> IntegerOf(std::string_view message, uint32_t number);

// Adds an entry to a plane's table of events or stats: the name of an id.
void AddNamed(protozero::pbf_writer& plane, uint32_t table, uint64_t id, std::string_view name);

}  // namespace gait::write
