import { globSync, readFileSync } from 'node:fs';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { StatusChange, StatusChangeSchema } from '@supplier/proto/submission/v1/events';
import { ATTEMPT_ERRORS } from './attempt.ts';
import { EVENT_STATES, environmentNameOf, environmentOf, eventChangeOf } from './event.ts';

const migrations = globSync(new URL('../../prisma/migrations/*/migration.sql', import.meta.url).pathname)
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Returns the values of a database enum type. */
function storedNames(type: string): string[] {
  const [, values = ''] = new RegExp(`CREATE TYPE ${type} AS ENUM \\(([^)]*)\\);`).exec(migrations) ?? [];
  return values.replaceAll("'", '').trim().split(/,\s*/);
}

describe('stored enum names', () => {
  it('match the database for attempt errors and event states', () => {
    expect(storedNames('attempt_error')).toEqual(ATTEMPT_ERRORS);
    expect(storedNames('event_state')).toEqual(EVENT_STATES);
  });

  it('exist for every kind of change except unspecified', () => {
    const changes = StatusChangeSchema.values.filter(({ number }) => number !== StatusChange.UNSPECIFIED);
    for (const change of changes) expect(eventChangeOf(change.number)).toBe(spellEnumValue(change));
    expect(changes.map(spellEnumValue)).toEqual(storedNames('event_change'));
    expect(eventChangeOf(StatusChange.UNSPECIFIED)).toBeUndefined();
  });

  it('exist for each environment, but not for an unspecified or unknown one', () => {
    const environments = EnvironmentSchema.values.filter(({ number }) => number !== Environment.UNSPECIFIED);
    for (const { number } of environments)
      expect(environmentOf(environmentNameOf(number) as never)).toBe(number);
    expect(environments.map(({ number }) => environmentNameOf(number))).toEqual(storedNames('environment'));
    expect(environmentNameOf(Environment.UNSPECIFIED)).toBeUndefined();
    expect(environmentNameOf(99 as Environment)).toBeUndefined();
  });
});
