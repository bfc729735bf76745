/** Resolves as `work` does, or rejects with `sentence` when that takes longer than so many milliseconds. */
export async function withinMs<T>(ms: number, work: Promise<T>, sentence: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${sentence} (${ms} ms)`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
