import { Button } from '@blueprintjs/core';
import type { DescEnum } from '@bufbuild/protobuf';
import {
  BillingStatusSchema,
  EnvironmentSchema,
  LevelSchema,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { QueueSchema } from '@supplier/proto/submission/v1/queues';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { sentenceOf, submissions } from '../calls.ts';
import { BillingMark, EnvironmentMark, StatusMark } from '../parts/marks.tsx';
import { timeOf, wordOf } from '../words.ts';

const PAGE = 100;

/** What is listed; all of it stands in the address. Numbers are those of the contract. */
export interface SubmissionsSearch {
  readonly environment?: number;
  readonly status?: number;
  readonly billing?: number;
  readonly queue?: number;
  readonly account?: string;
  readonly reference?: string;
}

/** What of an address is a filter; anything else in it is left out. */
export function submissionsSearch(given: Record<string, unknown>): SubmissionsSearch {
  return {
    ...number('environment', EnvironmentSchema, given),
    ...number('status', StatusSchema, given),
    ...number('billing', BillingStatusSchema, given),
    ...number('queue', QueueSchema, given),
    ...words('account', given),
    ...words('reference', given),
  };
}

const number = (name: string, schema: DescEnum, given: Record<string, unknown>) => {
  const value = Number(given[name]);
  return value > 0 && schema.value[value] ? { [name]: value } : {};
};
const words = (name: string, given: Record<string, unknown>) => {
  const value = given[name];
  return typeof value === 'string' && value !== '' && value.length <= 128 ? { [name]: value } : {};
};

const route = getRouteApi('/submissions');

/** Submissions, newest first, by what is asked for. */
export function SubmissionsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment = 0, status, billing = 0, queue, account, reference } = search;
  const query = useInfiniteQuery({
    queryKey: ['submissions', search],
    queryFn: ({ pageParam, signal }) =>
      submissions.listSubmissions(
        {
          environment,
          statuses: status ? [status] : [],
          billingStatus: billing,
          queues: queue ? [queue] : [],
          ...(account ? { accountId: account } : {}),
          ...(reference ? { referencePrefix: reference } : {}),
          pageSize: PAGE,
          pageToken: pageParam,
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    // What somebody reads must not move away under their eyes.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const change = (part: SubmissionsSearch) =>
    void navigate({ search: (before: SubmissionsSearch) => submissionsSearch({ ...before, ...part }) });
  const rows = query.data?.pages.flatMap(({ submissions: page }) => page) ?? [];
  return (
    <>
      <h1>Submissions</h1>
      <div className="filters">
        <Choice
          label="environment"
          schema={EnvironmentSchema}
          value={environment}
          onChange={(value) => change({ environment: value })}
        />
        <Choice
          label="status"
          schema={StatusSchema}
          value={status ?? 0}
          onChange={(value) => change({ status: value })}
        />
        <Choice
          label="billing"
          schema={BillingStatusSchema}
          value={billing}
          onChange={(value) => change({ billing: value })}
        />
        <Choice
          label="waits for"
          schema={QueueSchema}
          value={queue ?? 0}
          onChange={(value) => change({ queue: value })}
        />
        <Words label="account" value={account} onChange={(value) => change({ account: value })} />
        <Words
          label="reference begins"
          value={reference}
          onChange={(value) => change({ reference: value })}
        />
        <Button onClick={() => void query.refetch()}>Look again</Button>
      </div>
      {query.error ? <p role="alert">This cannot be shown: {sentenceOf(query.error)}</p> : null}
      <table className="bp6-html-table bp6-compact bp6-html-table-striped" aria-busy={query.isFetching}>
        <thead>
          <tr>
            {[
              'submission',
              'environment',
              'reference',
              'level',
              'status',
              'billing',
              'received',
              'Application',
            ].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows.map(submissionRow)}</tbody>
      </table>
      {rows.length === 0 && !query.isFetching && !query.error ? <p>None are found so far.</p> : null}
      {query.hasNextPage ? (
        <Button onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
          Look further
        </Button>
      ) : null}
    </>
  );
}

const submissionRow = (row: ListedSubmission) => (
  <tr key={row.submissionId}>
    <th scope="row">
      <Link to="/submissions/$submissionId" params={{ submissionId: row.submissionId }}>
        {row.submissionId}
      </Link>
    </th>
    <td>
      <EnvironmentMark environment={row.environment} />
    </td>
    <td>{row.externalReference}</td>
    <td>{wordOf(LevelSchema, row.level)}</td>
    <td>
      <StatusMark status={row.status} />
      {row.waitsForStaff ? ' waits for staff' : ''}
      {row.parked ? ' parked' : ''}
    </td>
    <td>
      <BillingMark status={row.billingStatus} />
    </td>
    <td>{timeOf(row.receivedAt)}</td>
    <td>{row.applicationReference}</td>
  </tr>
);

interface ChoiceProps {
  readonly label: string;
  readonly schema: DescEnum;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** One value of an enum, or any. */
const Choice = ({ label, schema, value, onChange }: ChoiceProps) => (
  <label>
    {label}
    <select value={value} onChange={(event) => onChange(Number(event.target.value))}>
      {schema.values.map((one) => (
        <option key={one.number} value={one.number}>
          {one.number === 0 ? 'any' : wordOf(schema, one.number)}
        </option>
      ))}
    </select>
  </label>
);

interface WordsProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Free text, taken when somebody leaves the field or presses Enter. */
const Words = ({ label, value, onChange }: WordsProps) => (
  <label>
    {label}
    <input
      key={value ?? ''}
      defaultValue={value ?? ''}
      maxLength={128}
      onBlur={(event) => onChange(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange(event.currentTarget.value.trim());
      }}
    />
  </label>
);
