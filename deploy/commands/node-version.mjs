// Imported before anything that an older Node can't read.
const OLDEST = [20, 2];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// The npm of Node 20.0 and 20.1 doesn't recognize glibc, so pnpm's program isn't installed.
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `Node ${OLDEST.join('.')} or later is needed, and this is ${process.versions.node}: https://nodejs.org/en/download`,
  );
  process.exit(1);
}
