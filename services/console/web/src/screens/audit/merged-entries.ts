import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { AuditEntry, ListAuditResponse } from '@supplier/proto/audit/v1/audit';

/** What was loaded of a service's list and isn't part of a page yet. */
interface Unread {
  readonly entries: readonly AuditEntry[];
  /** Undefined once the list is loaded completely. */
  readonly nextPageToken: string | undefined;
}

export interface MergedEntry<Service extends string> {
  readonly service: Service;
  readonly entry: AuditEntry;
}

/** A page of the lists of several services, newest first, and where the next page starts. */
export interface MergedPage<Service extends string> {
  readonly rows: readonly MergedEntry<Service>[];
  readonly unread: ReadonlyMap<Service, Unread>;
  /** Services whose entries are missing from this page on, with their errors. */
  readonly failed: ReadonlyMap<Service, unknown>;
}

export const firstPage = <Service extends string>(services: readonly Service[]): MergedPage<Service> => ({
  rows: [],
  unread: new Map(services.map((service) => [service, { entries: [], nextPageToken: '' }])),
  failed: new Map(),
});

export const isLastPage = ({ unread }: MergedPage<string>): boolean =>
  [...unread.values()].every(
    ({ entries, nextPageToken }) => entries.length === 0 && nextPageToken === undefined,
  );

/**
 * Loads the page after another one. Before it merges, every service has as many entries as the page or no more, so that
 * no newer entry comes later. A service that fails is left out from then on. Throws the error if all fail.
 */
export async function nextPage<Service extends string>(
  { unread, failed }: MergedPage<Service>,
  size: number,
  load: (service: Service, pageToken: string) => Promise<ListAuditResponse>,
): Promise<MergedPage<Service>> {
  const failures = new Map(failed);
  const filled = await Promise.all(
    [...unread].map(async ([service, { entries, nextPageToken }]) => {
      try {
        for (let token = nextPageToken; ; ) {
          if (entries.length >= size || token === undefined)
            return [{ service, entries, nextPageToken: token }];
          const more = await load(service, token);
          entries = [...entries, ...more.entries];
          token = more.nextPageToken || undefined;
        }
      } catch (error) {
        failures.set(service, error);
        return [];
      }
    }),
  );
  const lists = filled.flat();
  const [error] = failures.values();
  if (lists.length === 0 && failures.size > 0) throw error;
  const rows = lists
    .flatMap(({ service, entries }) => entries.map((entry) => ({ service, entry })))
    .toSorted((a, b) => timeOf(b.entry) - timeOf(a.entry))
    .slice(0, size);
  const taken = (of: Service) => rows.filter(({ service }) => service === of).length;
  return {
    rows,
    unread: new Map(
      lists.map(({ service, entries, nextPageToken }) => [
        service,
        { entries: entries.slice(taken(service)), nextPageToken },
      ]),
    ),
    failed: failures,
  };
}

const timeOf = ({ at }: AuditEntry): number => (at ? timestampMs(at) : 0);
