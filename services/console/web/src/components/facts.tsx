import type { ReactNode } from 'react';

interface FactsProps {
  /** Names with their values. Undefined ones are left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode] | undefined)[];
}

/** Names and values, as a description list. */
export const Facts = ({ facts }: FactsProps) => (
  <dl className="facts">
    {facts.map((fact) =>
      fact ? (
        <div key={fact[0]}>
          <dt>{fact[0]}</dt>
          <dd>{fact[1]}</dd>
        </div>
      ) : null,
    )}
  </dl>
);
