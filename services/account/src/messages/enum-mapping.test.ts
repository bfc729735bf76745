import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { ENVIRONMENTS, SCOPES, STATES, wordFor } from './words.ts';

describe('wordFor', () => {
  it.each([
    [SCOPES, Scope],
    [STATES, AccountState],
    [ENVIRONMENTS, Environment],
  ])(
    'has a word for every choice of the contract but UNSPECIFIED',
    (words: Record<string, number>, choices) => {
      const specified = Object.values(choices).filter((value) => typeof value === 'number' && value !== 0);
      for (const choice of specified) expect(words[wordFor(words, choice)]).toBe(choice);
      expect(Object.keys(words)).toHaveLength(specified.length);
    },
  );

  it.each([0, 99])('throws for %s', (choice) => {
    expect(() => wordFor(SCOPES, choice as Scope)).toThrow();
  });
});
