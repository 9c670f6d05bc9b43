#include "zip_end.h"

#include <algorithm>
#include <string>

#include "linnet/error.h"
#include "little_endian.h"

namespace linnet::pt2 {

namespace {

constexpr int64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kMostCommentBytes = 0xffff;
constexpr uint64_t kEndMark = 0x06054b50, kLocatorMark = 0x07064b50, kEnd64Mark = 0x06064b50;

[[noreturn]] void throw_bad_end(const char* what) {
  throw Error(ErrorKind::kModel, str("the ZIP archive is damaged: ", what));
}

/// Returns the offset of the last record, whose comment extends to the end of the archive.
int64_t end_offset(const ByteSource& archive) {
  const int64_t tail = std::min(archive.size(), kEndBytes + kMostCommentBytes);
  const RecordBytes bytes(archive, archive.size() - tail, tail, "its end");
  for (int64_t at = tail - kEndBytes; at >= 0; --at) {
    const bool marked = bytes.number(size_t(at), 4) == kEndMark;
    if (marked && at + kEndBytes + int64_t(bytes.number(size_t(at) + 20, 2)) == tail) return archive.size() - tail + at;
  }
  throw_bad_end("its directory is missing, so the file was cut off; copy or save it again");
}

/// Returns a number from the last record and its ZIP64 form. If all bits of the former are set, the latter counts.
int64_t agreed(uint64_t number, uint64_t all_ones, uint64_t number64) {
  if (number != all_ones && number != number64) throw_bad_end("its two end records differ");
  if (number64 > uint64_t(INT64_MAX)) throw_bad_end("its end record holds a number that is too large");
  return int64_t(number64);
}

/// Refuses a directory that does not end at `limit`, where the records after it begin.
ZipEnd checked_end(const ZipEnd& end, int64_t limit) {
  if (end.offset > limit || end.bytes != limit - end.offset) {
    throw_bad_end("its directory does not end where its end record begins");
  }
  return end;
}

ZipEnd zip64_end(const ByteSource& archive, const RecordBytes& end, int64_t locator_offset) {
  const RecordBytes locator(archive, locator_offset, kLocatorBytes, "its ZIP64 locator");
  const uint64_t offset = locator.number(8, 8);
  if (locator_offset < kEnd64Bytes || offset > uint64_t(locator_offset - kEnd64Bytes)) {
    throw_bad_end("its ZIP64 locator refers to no record");
  }
  const RecordBytes end64(archive, int64_t(offset), kEnd64Bytes, "its ZIP64 end record");
  if (end64.number(0, 4) != kEnd64Mark) throw_bad_end("its ZIP64 locator refers to no record");
  if (end64.number(4, 8) != uint64_t(locator_offset) - offset - 12)
    throw_bad_end("its ZIP64 end record has a wrong size");
  if (end64.number(16, 4) != 0 || end64.number(20, 4) != 0) throw_bad_end("it is one part of several");
  if (end64.number(24, 8) != end64.number(32, 8)) throw_bad_end("it is one part of several");
  return checked_end({.entries = agreed(end.number(10, 2), 0xffff, end64.number(32, 8)),
                      .offset = agreed(end.number(16, 4), 0xffffffff, end64.number(48, 8)),
                      .bytes = agreed(end.number(12, 4), 0xffffffff, end64.number(40, 8))},
                     int64_t(offset));
}

bool has_locator(const ByteSource& archive, int64_t end_offset) {
  if (end_offset < kLocatorBytes) return false;
  const RecordBytes mark(archive, end_offset - kLocatorBytes, 4, "its ZIP64 locator");
  return mark.number(0, 4) == kLocatorMark;
}

}  // namespace

ZipEnd find_zip_end(const ByteSource& archive) {
  if (archive.size() < kEndBytes)
    throw_bad_end("its directory is missing, so the file was cut off; copy or save it again");
  const int64_t offset = end_offset(archive);
  const RecordBytes end(archive, offset, kEndBytes, "its end record");
  if (has_locator(archive, offset)) return zip64_end(archive, end, offset - kLocatorBytes);
  if (end.number(4, 2) != 0 || end.number(6, 2) != 0 || end.number(8, 2) != end.number(10, 2)) {
    throw_bad_end("it is one part of several");
  }
  return checked_end({.entries = int64_t(end.number(10, 2)),
                      .offset = int64_t(end.number(16, 4)),
                      .bytes = int64_t(end.number(12, 4))},
                     offset);
}

}  // namespace linnet::pt2
