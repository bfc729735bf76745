/**
 * Yields the items of a stream in order. If the stream breaks off, it is reopened after the last item. Rejects when the
 * signal aborts, or with the stream's error if nothing arrived since it was opened, which ends the retries.
 */
export async function* resumeStream<Item, Place>({
  from,
  open,
  placeOf,
  signal,
}: {
  readonly from: Place;
  /** Opens a stream after a position. */
  readonly open: (behind: Place) => AsyncIterable<Item>;
  /** Returns the position of an item, or undefined if it has none. */
  readonly placeOf: (item: Item) => Place | undefined;
  readonly signal: AbortSignal;
}): AsyncGenerator<Item> {
  for (let behind = from; ; ) {
    const before = behind;
    try {
      for await (const item of open(behind)) {
        behind = placeOf(item) ?? behind;
        yield item;
      }
      return;
    } catch (error) {
      if (signal.aborted || behind === before) throw error;
    }
  }
}
