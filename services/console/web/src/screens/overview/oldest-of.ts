const FEW = 5;
/** Beyond a thousand rows, the oldest of the latest thousand are returned. */
const MAX_PAGES = 5;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextPageToken: string;
}

/**
 * Returns the five oldest rows of a list that is newest first, oldest first.
 *
 * @param pageAt loads the page of a token, in pages of two hundred
 */
export async function oldestOf<Row>(
  pageAt: (pageToken: string) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  let oldest: readonly Row[] = [];
  let pageToken = '';
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const { rows, nextPageToken } = await pageAt(pageToken);
    // The last page may have fewer than five.
    oldest = [...oldest, ...rows].slice(-FEW);
    pageToken = nextPageToken;
    if (pageToken === '') break;
  }
  return oldest.toReversed();
}
