#include "test/sqlite/crash_disk.h"

#include <cstring>
#include <new>
#include <utility>

namespace cronce {

// ---- what is on the disk ------------------------------------------------------------------------

void CrashDisk::apply(const Change& change, std::optional<std::string>& bytes) {
  if (change.kind == Change::Kind::remove) {
    bytes.reset();
    return;
  }
  if (!bytes) bytes.emplace();
  const auto offset = static_cast<std::size_t>(change.offset);
  if (change.kind == Change::Kind::truncate) {
    bytes->resize(offset);
    return;
  }
  if (bytes->size() < offset + change.bytes.size()) bytes->resize(offset + change.bytes.size());
  bytes->replace(offset, change.bytes.size(), change.bytes);
}

void CrashDisk::cut() {
  if (!watcher_) return;
  for (unsigned variant = 0; variant < 5; ++variant) {
    Files files;
    for (const auto& [name, image] : images_) {
      const bool journal = name.ends_with("-journal");
      const std::size_t all = image.pending.size();
      const std::size_t half = all / 2;
      const std::size_t kept[] = {0, all, journal ? all : 0, journal ? 0 : all, half};
      std::optional<std::string> bytes = image.durable;
      for (std::size_t i = 0; i < kept[variant]; ++i) apply(image.pending[i], bytes);
      if (bytes) files[name] = *bytes;
    }
    watcher_(files);
  }
}

void CrashDisk::sync(const std::string& file) {
  cut();
  ++syncs_;
  if (lies_) return;
  Image& image = images_[file];
  for (const Change& change : image.pending) apply(change, image.durable);
  image.pending.clear();
}

// ---- the layer ----------------------------------------------------------------------------------

namespace {

struct CrashFile {
  sqlite3_file base;
  CrashDisk* disk;
  std::string* name;  // none: a file that is not looked at
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }  // NOLINT
};

CrashFile& of(sqlite3_file* file) { return *reinterpret_cast<CrashFile*>(file); }  // NOLINT
sqlite3_file* real(sqlite3_file* file) { return of(file).real(); }

std::string base_name(const char* path) {
  const std::string text = path;
  return text.substr(text.rfind('/') + 1);
}

}  // namespace

struct CrashLayer {
  static CrashDisk& disk(sqlite3_vfs* vfs) { return *static_cast<CrashDisk*>(vfs->pAppData); }

  static int close(sqlite3_file* file) {
    delete of(file).name;
    return real(file)->pMethods->xClose(real(file));
  }
  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), to, size, offset);
  }
  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    if (of(file).name != nullptr) {
      if (!CrashDisk::use(of(file).disk->writes_left_)) return SQLITE_FULL;
      of(file).disk->note(*of(file).name, {CrashDisk::Change::Kind::write, offset,
                                           std::string(static_cast<const char*>(from),
                                                       static_cast<std::size_t>(size))});
    }
    return real(file)->pMethods->xWrite(real(file), from, size, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    if (of(file).name != nullptr) {
      of(file).disk->note(*of(file).name, {CrashDisk::Change::Kind::truncate, size, ""});
    }
    return real(file)->pMethods->xTruncate(real(file), size);
  }
  static int sync(sqlite3_file* file, int) {
    if (of(file).name == nullptr) return SQLITE_OK;
    if (!CrashDisk::use(of(file).disk->syncs_left_)) return SQLITE_IOERR_FSYNC;
    of(file).disk->sync(*of(file).name);
    return SQLITE_OK;
  }
  static int file_size(sqlite3_file* file, sqlite3_int64* size) {
    return real(file)->pMethods->xFileSize(real(file), size);
  }
  static int lock(sqlite3_file* file, int how) {
    return real(file)->pMethods->xLock(real(file), how);
  }
  static int unlock(sqlite3_file* file, int how) {
    return real(file)->pMethods->xUnlock(real(file), how);
  }
  static int reserved(sqlite3_file* file, int* held) {
    return real(file)->pMethods->xCheckReservedLock(real(file), held);
  }
  static int control(sqlite3_file* file, int what, void* with) {
    return real(file)->pMethods->xFileControl(real(file), what, with);
  }
  static int sector(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
  static int characteristics(sqlite3_file* file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    static const sqlite3_io_methods methods{
        1,       close,    read,    write,  truncate,        sync,    file_size, lock,
        unlock,  reserved, control, sector, characteristics, nullptr, nullptr,   nullptr,
        nullptr, nullptr,  nullptr};
    auto* crash = new (file) CrashFile{{nullptr}, &disk(vfs), nullptr};
    const int code = disk(vfs).real_->xOpen(disk(vfs).real_, path, crash->real(), flags, out);
    if (crash->real()->pMethods == nullptr) return code;
    crash->base.pMethods = &methods;
    if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL)) != 0 && path != nullptr) {
      crash->name = new std::string(base_name(path));
    }
    return code;
  }
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
    CrashDisk& d = disk(vfs);
    const std::string name = base_name(path);
    if (d.images_.contains(name)) d.note(name, {CrashDisk::Change::Kind::remove, 0, ""});
    const int code = d.real_->xDelete(d.real_, path, 0);
    if (sync_folder != 0) d.sync(name);
    return code;
  }
};

CrashDisk::CrashDisk(std::string name) : name_(std::move(name)), real_(sqlite3_vfs_find(nullptr)) {
  layer_ = *real_;
  layer_.iVersion = 1;
  layer_.szOsFile = static_cast<int>(sizeof(CrashFile)) + real_->szOsFile;
  layer_.zName = name_.c_str();
  layer_.pAppData = this;
  layer_.xOpen = CrashLayer::open;
  layer_.xDelete = CrashLayer::remove;
  // The others of the system's layer need nothing of the structure that they are called with.
  sqlite3_vfs_register(&layer_, 0);
}

CrashDisk::~CrashDisk() { sqlite3_vfs_unregister(&layer_); }

}  // namespace cronce
