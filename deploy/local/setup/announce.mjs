/** Says that a step that may take a while begins, and how long it took. */
export async function announce(says, work) {
  const start = Date.now();
  process.stdout.write(`${says} …`);
  try {
    await work();
    process.stdout.write(` ${((Date.now() - start) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    process.stdout.write(' failed\n');
    throw error;
  }
}
