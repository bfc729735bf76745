import { z } from 'zod';
import { type ExcludedValue, keyOf, type MatchKeys } from './match-keys.ts';

const MAX_VALUES = 500;
const KINDS: ReadonlyMap<string, keyof MatchKeys> = new Map([
  ['company_number', 'company'],
  ['telephone', 'telephone'],
  ['email', 'email'],
]);

/**
 * Parses values that identify no customer, such as a broker's number: `telephone:020 7946 0000,
 * email:leads@broker.example, company_number:01234567`, at most 500. Rejects a value that could not be a match key
 * anyway, since it must be a mistake.
 */
export const excludedValues = () =>
  z.string().transform((text, context) => {
    const parts = text.split(',').filter((part) => part.trim() !== '');
    if (parts.length > MAX_VALUES) context.addIssue(`lists more than ${MAX_VALUES} values`);
    return parts.slice(0, MAX_VALUES).flatMap((part, index): ExcludedValue[] => {
      const [, name = '', value = ''] = /^\s*([a-z_]*):(.*)$/su.exec(part) ?? [];
      const kind = KINDS.get(name);
      if (kind && keyOf(kind, value) !== undefined) return [{ kind, text: value }];
      const wrong = kind
        ? `is no valid ${name}`
        : 'does not begin with company_number:, telephone: or email:';
      context.addIssue(`has an invalid value: number ${index + 1} ${wrong}`);
      return [];
    });
  });
