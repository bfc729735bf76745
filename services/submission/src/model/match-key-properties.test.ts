import fc from 'fast-check';
import { IDENTIFYING, NOBODYS } from '../../testing/unusual-values.ts';
import { keyOf } from './match-keys.ts';

const KINDS = ['company', 'telephone', 'email'] as const;

const hidden = fc.string({
  unit: fc.constantFrom('\u200b', '\u200d', '\u00ad', '\u2066', '\ufe0f', ' ', '\u00a0'),
  maxLength: 2,
});
/** White space elsewhere separates words. */
const gapAt = (text: string, index: number, gap: string) =>
  /[@.]/.test(text.slice(Math.max(0, index - 1), index + 1)) ? gap : gap.replace(/\s/g, '');
const dressed = (text: string) =>
  fc
    .array(hidden, { minLength: text.length, maxLength: text.length })
    .map((gaps) => [...text].map((c, index) => `${gapAt(text, index, gaps[index] ?? '')}${c}`).join(''));
const atom = fc.string({ unit: fc.constantFrom(...'abcxyz019+-_'), minLength: 1, maxLength: 8 });
const address = fc
  .tuple(
    fc.array(atom, { minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom('a', 'b1', 'mail', 'example'), { minLength: 1, maxLength: 3 }),
  )
  .map(([local, domain]) => `${local.join('.')}@${domain.join('.')}.test`);

describe('the key of an email', () => {
  it('is the address, with anything invisible in it and around it', () => {
    const wrapped = fc.constantFrom('%', '<%>', 'Sam <%>', 'mailto:%', '"%"', '%;', '‹%›', '%.');
    const spelled = fc
      .tuple(address, wrapped, fc.boolean())
      .chain(([email, wrap, upper]) =>
        dressed(upper ? email.toUpperCase() : email).map(
          (text) => [email, wrap.replace('%', () => text)] as const,
        ),
      );
    fc.assert(fc.property(spelled, ([email, text]) => expect(keyOf('email', text)).toBe(email)));
  });

  it('differs when the address differs', () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        expect(keyOf('email', `<${one}>`) === keyOf('email', `${other}.`)).toBe(one === other);
      }),
    );
  });
});

it.each(KINDS)('%s: a key is its own key, whatever it was made from', (kind) => {
  const pieces = fc.constantFrom(
    ...[...'@<>()."\'%;,:+-/x0123456789 aßİſ', '@', '@', '44', '00', '.0', 'No.', 'GB', 'xn--', 'SC', 'ext'],
    ...['\u200b', '\uff20', '\u0301', '\uffa0', 'ﬀ', '𝟘', '٣', '“', '‹', '›', '.com', 'E+'],
  );
  const anything = fc.oneof(
    fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom(...IDENTIFYING[kind].flat(), ...NOBODYS[kind]),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const key = keyOf(kind, text);
      if (key !== undefined) expect([text, keyOf(kind, key)]).toEqual([text, key]);
    }),
    { numRuns: 1_000 },
  );
});
