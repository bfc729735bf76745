import { create } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  AuditEntrySchema,
  type ListAuditResponse,
  ListAuditResponseSchema,
} from '@supplier/proto/audit/v1/audit';
import { firstPage, isLastPage, type MergedPage, nextPage } from '../web/src/screens/audit/merged-entries.ts';

type Service = 'account' | 'billing' | 'webhook';
/** More than any of these lists has. */
const MAX_PAGES = 20;
const SERVICES = ['account', 'billing', 'webhook'] as const;

/** Lists of entries at these times, newest first, in pages of `size`; the token is the number of entries before. */
function lists(times: Readonly<Record<Service, readonly number[] | Error>>, size = 2) {
  const asked: string[] = [];
  const load = async (service: Service, token: string): Promise<ListAuditResponse> => {
    asked.push(`${service} ${token}`.trim());
    const all = times[service];
    if (all instanceof Error) throw all;
    const end = Number(token) + size;
    return create(ListAuditResponseSchema, {
      entries: all
        .slice(Number(token), end)
        .map((ms) => create(AuditEntrySchema, { at: timestampFromMs(ms) })),
      nextPageToken: end < all.length ? String(end) : '',
    });
  };
  return { asked, load };
}

const timesOf = ({ rows }: MergedPage<Service>) =>
  rows.map(({ service, entry }) => `${service} ${entry.at ? timestampMs(entry.at) : ''}`);

async function pagesOf({ load }: ReturnType<typeof lists>, size = 2) {
  const pages: string[][] = [];
  let page = firstPage(SERVICES);
  do {
    page = await nextPage(page, size, load);
    pages.push(timesOf(page));
  } while (!isLastPage(page) && pages.length < MAX_PAGES);
  return { pages, last: page };
}

describe('entries of several services', () => {
  it('are merged by time over all pages, each entry once', async () => {
    const all = lists({ account: [9, 8, 7, 6, 1], billing: [5, 4], webhook: [10, 3, 2] });
    const { pages } = await pagesOf(all);
    expect(pages).toEqual([
      ['webhook 10', 'account 9'],
      ['account 8', 'account 7'],
      ['account 6', 'billing 5'],
      ['billing 4', 'webhook 3'],
      ['webhook 2', 'account 1'],
    ]);
    expect(all.asked).toHaveLength(6);
  });

  it('keep the order of their service at the same time', async () => {
    const { pages } = await pagesOf(lists({ account: [2, 1], billing: [2, 2], webhook: [] }));
    expect(pages).toEqual([
      ['account 2', 'billing 2'],
      ['billing 2', 'account 1'],
    ]);
  });

  it('come from pages that are shorter than the merged one', async () => {
    const { pages } = await pagesOf(lists({ account: [5, 4, 3], billing: [2], webhook: [1] }, 1), 4);
    expect(pages).toEqual([['account 5', 'account 4', 'account 3', 'billing 2'], ['webhook 1']]);
  });

  it('are shown without those of a service that fails, which is named', async () => {
    const down = new Error('down');
    const { pages, last } = await pagesOf(lists({ account: [2], billing: down, webhook: [1] }));
    expect(pages).toEqual([['account 2', 'webhook 1']]);
    expect([...last.failed]).toEqual([['billing', down]]);
  });

  it('keep what came before a failure on a later page', async () => {
    const { load } = lists({ account: [9, 8, 1], billing: [7], webhook: [] });
    const first = await nextPage(firstPage(SERVICES), 2, load);
    const second = await nextPage(first, 2, (service, token) =>
      service === 'account' ? Promise.reject(new Error('down')) : load(service, token),
    );
    expect([timesOf(first), timesOf(second)]).toEqual([['account 9', 'account 8'], ['billing 7']]);
    expect([...second.failed.keys()]).toEqual(['account']);
    expect(isLastPage(second)).toBe(true);
  });

  it('fail if every service fails', async () => {
    const down = new Error('down');
    await expect(
      nextPage(firstPage(SERVICES), 2, lists({ account: down, billing: down, webhook: down }).load),
    ).rejects.toBe(down);
  });
});
