import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { sentenceOf, submissions } from '../calls.ts';
import { ByReference } from '../parts/by-reference.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface FindSearch {
  readonly what: string;
}
export const findSearch = ({ what }: Record<string, unknown>): FindSearch => ({
  what: typeof what === 'string' ? what.slice(0, 128) : '',
});

const route = getRouteApi('/find');

/** Leads to the one submission that somebody's words name, or says how to find it otherwise. */
export function FindScreen() {
  const { what } = route.useSearch();
  const isId = UUID.test(what);
  const { data, error, isPending } = useQuery({
    queryKey: ['find', what],
    enabled: !isId && what !== '',
    refetchInterval: false,
    queryFn: ({ signal }) =>
      submissions.listSubmissions({ applicationReference: what, pageSize: 2 }, { signal }),
  });
  const [found] = data?.submissions ?? [];
  const submissionId = isId ? what : found?.submissionId;
  if (submissionId !== undefined)
    return <Navigate to="/submissions/$submissionId" params={{ submissionId }} replace />;
  return (
    <>
      <h1>Find</h1>
      {error ? <p role="alert">This cannot be looked for: {sentenceOf(error)}</p> : null}
      {isPending && what !== '' ? <p>Looking for it …</p> : null}
      {data ? (
        <>
          <p role="alert">No submission and no Application is called “{what}”.</p>
          <ByReference reference={what} />
        </>
      ) : null}
    </>
  );
}
