const REASONS = {
  EACCES: 'it belongs to another user, or may not be written',
  EPERM: 'it belongs to another user, or may not be written',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full: packages and state need 1.5 GB here, and 0.5 GB in the cache of packages',
  EDQUOT: 'the quota of this user is used up',
};

/** Returns one line about an error of the file system that a person can mend; undefined for any other error. */
export function machineFault({ code, path, syscall } = {}) {
  const reason = REASONS[code];
  return reason && syscall ? `cannot ${syscall} ${path ?? 'a file'}: ${reason}` : undefined;
}
