const MEMORY = 'memory ran out: the stack needs 1.3 GiB';
const REASONS = {
  EACCES: 'it belongs to another user, or may not be written',
  EPERM: 'it belongs to another user, or may not be written',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full: packages and state need 1.4 GB here, and 0.5 GB in the cache of packages',
  EDQUOT: 'the quota of this user is used up',
};
/** How programs in any language report it. */
const WORDINGS = [
  [/\bENOSPC\b|no space left on device/i, REASONS.ENOSPC],
  [/\bEDQUOT\b|quota exceeded/i, REASONS.EDQUOT],
  [/\bENOMEM\b|out of memory|cannot allocate memory/i, MEMORY],
];
/** How a shell reports that its program was killed. */
const KILLED = 137;

/** Returns one line about an error of the file system that a person can mend; undefined for any other error. */
export function machineFault({ code, path, syscall } = {}) {
  const reason = REASONS[code];
  return reason && syscall ? `cannot ${syscall} ${path ?? 'a file'}: ${reason}` : undefined;
}

/** Adds a line to a program's message if it reports a full disk or too little memory. */
export function withMachineFault(text) {
  const [, reason] = WORDINGS.find(([wording]) => wording.test(text)) ?? [];
  return reason === undefined || text.includes(reason) ? text : `${text}\n${reason}`;
}

/** Describes how a process ended that nobody here has killed. */
export function describeExit(code, signal) {
  if (signal === 'SIGKILL' || code === KILLED) return `killed by SIGKILL; unless somebody sent it, ${MEMORY}`;
  return code === null ? `killed by ${signal}` : `exit code ${code}`;
}
