interface Resumed<Item, Place> {
  readonly from: Place;
  /** Asks for what comes behind a place. */
  readonly open: (behind: Place) => AsyncIterable<Item>;
  /** Where an item stands; undefined for one that has no place. */
  readonly placeOf: (item: Item) => Place | undefined;
  readonly signal: AbortSignal;
}

/**
 * What a stream brings, in its order. One that is cut off is asked for again behind the last that came. Rejects with the signal, and
 * as the stream does where nothing came since it was opened: so it ends.
 */
export async function* resumed<Item, Place>({
  from,
  open,
  placeOf,
  signal,
}: Resumed<Item, Place>): AsyncGenerator<Item> {
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
