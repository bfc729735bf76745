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
    [{ email: '"a@b"@c.test' }, { initials: '', telephoneEnding: '', email: '"…@c.test' }],
  ])('reveals nothing else of %j', (stated, masked) => {
    expect(maskedContact(stated)).toEqual(masked);
  });
});
