import { maskedContact } from './masked-contact.ts';

describe('a masked contact', () => {
  it('has initials, three digits, and the first letter and domain of the address', () => {
    const stated = {
      firstName: 'Ada',
      lastName: 'Sample',
      telephone: '+44 (0)7700 900-123',
      email: 'ada@b.test',
    };
    expect(maskedContact(stated)).toEqual({ initials: 'A. S.', telephoneEnding: '123', email: 'a…@b.test' });
  });

  it.each([
    [{}, { initials: '', telephoneEnding: '', email: '' }],
    [
      { firstName: ' 𝒜da', lastName: 'Ö' },
      { initials: '𝒜. Ö.', telephoneEnding: '', email: '' },
    ],
    [{ telephone: '12' }, { initials: '', telephoneEnding: '12', email: '' }],
    [{ email: 'no address' }, { initials: '', telephoneEnding: '', email: '' }],
    [{ email: '"a@b"@c.test' }, { initials: '', telephoneEnding: '', email: 'a…@c.test' }],
    [
      { firstName: '\u202e"Ada', lastName: '(Byron)', telephone: '07700 900123 Ada Byron' },
      { initials: 'A. B.', telephoneEnding: '123', email: '' },
    ],
    [{ email: '\u202eada@example.test' }, { initials: '', telephoneEnding: '', email: 'a…@example.test' }],
    [{ email: ' ada@bücher.test ' }, { initials: '', telephoneEnding: '', email: 'a…@bücher.test' }],
  ])('reveals nothing else of %j', (stated, masked) => {
    expect(maskedContact(stated)).toEqual(masked);
  });

  it.each([
    'ada@example.com Ada Byron 07700900123',
    'ada@example.com\nAda Byron',
    'ada@example.com/07700900123',
    'ada@example.com_AdaByron',
    'ada@example.07700900123',
    'ada@07700900123',
    'ada@AdaByron',
    'ada@Ada..test',
    'ada@Ada-.test',
    `ada@${'Byron'.repeat(13)}.test`,
    `ada@example.${'Byron'.repeat(13)}`,
    `ada@${'Byron.'.repeat(50)}test`,
    'ada@ <byron@example.test>',
  ])('has no domain where %j has something else', (email) => {
    expect(maskedContact({ email }).email).toBe('a…@…');
  });
});
