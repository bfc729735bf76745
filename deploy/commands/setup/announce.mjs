/** The step whose line stands open on the terminal: of several at the same time, at most one. */
let open;

/** Says that a step that may take a while begins, and how long it took. Several may go on at the same time. */
export async function announce(says, work) {
  const start = Date.now();
  if (open === undefined) {
    open = says;
    process.stdout.write(`${says} …`);
  }
  try {
    await work();
    end(says, `${((Date.now() - start) / 1000).toFixed(1)} s`);
  } catch (error) {
    end(says, 'failed');
    throw error;
  }
}

function end(says, how) {
  if (open === says) process.stdout.write(` ${how}\n`);
  else process.stdout.write(`${open === undefined ? '' : '\n'}${says} … ${how}\n`);
  open = undefined;
}
