import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { ENVIRONMENTS, nameOf, SCOPES, STATES } from './messages.ts';

describe('nameOf', () => {
  it.each([
    [SCOPES, Scope],
    [STATES, AccountState],
    [ENVIRONMENTS, Environment],
  ])('has a name for every contract value except UNSPECIFIED', (mapping: Record<string, number>, values) => {
    const specified = Object.values(values).filter((value) => typeof value === 'number' && value !== 0);
    for (const value of specified) expect(mapping[nameOf(mapping, value)]).toBe(value);
    expect(Object.keys(mapping)).toHaveLength(specified.length);
  });

  it.each([0, 99])('throws for %s', (value) => {
    expect(() => nameOf(SCOPES, value as Scope)).toThrow();
  });
});
