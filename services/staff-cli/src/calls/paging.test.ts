import { create } from '@bufbuild/protobuf';
import {
  ListSubmissionsRequestSchema as Input,
  type ListSubmissionsRequest,
  type ListSubmissionsResponse,
  ListSubmissionsResponseSchema as Output,
} from '@supplier/proto/submission/v1/list_submissions';
import { allPages } from './paging.ts';

/** Reads all pages of a list whose pages have this many rows and never end. */
async function read(rowsPerPage: number) {
  let pages = 0;
  const answer = await allPages(Input, Output, create(Input), async (request) => {
    const { pageToken } = request as ListSubmissionsRequest;
    pages = Number(pageToken || 0) + 1;
    const submissions = Array.from({ length: rowsPerPage }, () => ({}));
    return create(Output, { submissions, nextPageToken: String(pages) });
  });
  const { submissions, nextPageToken } = answer as ListSubmissionsResponse;
  return { pages, rows: submissions.length, nextPageToken };
}

describe('allPages', () => {
  it('stops at the end of the page with the 10,000th row', async () => {
    expect(await read(4_000)).toEqual({ pages: 3, rows: 12_000, nextPageToken: '3' });
  });

  it('stops after 1,000 pages when all of them are empty', async () => {
    expect(await read(0)).toEqual({ pages: 1_000, rows: 0, nextPageToken: '1000' });
  });
});
