/**
 * The work's result, or a rejection after `ms`. A process that was itself too busy to look gets one more look before it
 * gives up. The work goes on unheard.
 */
export function withinMs<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('the limits store did not answer in time'));
    const timer = setTimeout(() => setImmediate(giveUp), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
