import type { FoundSubmission } from '@supplier/proto/submission/v1/privacy';

/** Maximum submissions of one search, across its pages. */
export const MAX_FOUND = 1_000;

interface Page {
  readonly submissions: readonly FoundSubmission[];
  readonly nextPageToken: string;
}

interface Found extends Pick<Page, 'submissions'> {
  readonly isComplete: boolean;
}

/** Returns the submissions of all pages, until there are a thousand. */
export async function firstOf(pageAt: (pageToken: string) => Promise<Page>): Promise<Found> {
  const submissions: FoundSubmission[] = [];
  let pageToken = '';
  do {
    const page = await pageAt(pageToken);
    submissions.push(...page.submissions);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && submissions.length < MAX_FOUND);
  return { submissions, isComplete: pageToken === '' };
}
