import { Callout, Spinner } from '@blueprintjs/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isNotFound, sentenceOf } from '../calls.ts';

interface PartProps<Answer> {
  readonly title: string;
  readonly query: UseQueryResult<Answer>;
  /** For live data: whether the stream was lost. */
  readonly isLost?: boolean;
  /** Text for a response of not found. */
  readonly nothing?: string;
  readonly children: (answer: Answer) => ReactNode;
}

/**
 * A part of a screen that is filled by one call. It shows loading and errors, with the service's message. Earlier
 * content stays visible and is marked as out of date.
 */
export function Part<Answer>({ title, query, isLost, nothing, children }: PartProps<Answer>) {
  const { data, error, isPending } = query;
  const isNothing = error && nothing !== undefined && isNotFound(error);
  return (
    <section className="part" aria-busy={isPending}>
      <h2>{title}</h2>
      {isLost === undefined ? null : <div role="status">{isLost ? 'No longer live: trying again' : ''}</div>}
      {isNothing ? <p>{nothing}</p> : null}
      {error && !isNothing ? (
        <Callout intent="warning" role="alert" compact>
          {data === undefined ? 'This cannot be shown: ' : 'This is as it was before: '}
          {sentenceOf(error)}
        </Callout>
      ) : null}
      {isPending ? <Spinner size={20} aria-label="Waiting for an answer" /> : null}
      {data === undefined || isNothing ? null : children(data)}
    </section>
  );
}
