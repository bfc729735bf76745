// Imported before anything that an older Node can't read.
const OLDEST = 20;
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST) {
  console.error(
    `Node ${OLDEST} or later is needed, and this is ${process.versions.node}: https://nodejs.org/en/download`,
  );
  process.exit(1);
}
