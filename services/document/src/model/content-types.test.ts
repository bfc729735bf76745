import { CONTENT_TYPES, contentTypeOf, downloadName } from './content-types.ts';

describe('contentTypeOf', () => {
  it.each([
    ['application/pdf', 'application/pdf'],
    ['image/jpeg', 'image/jpeg'],
    ['image/png', 'image/png'],
    ['text/csv; charset=utf-8', 'text/csv'],
    [
      'Application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
  ])('accepts %s', (text, type) => {
    expect(contentTypeOf(text)).toBe(type);
  });

  it.each(['text/html', 'image/svg+xml', 'application/zip', 'text/csv; charset=utf-16', 'pdf', ''])(
    'rejects %j',
    (text) => {
      expect(contentTypeOf(text)).toBeUndefined();
    },
  );
});

describe('downloadName', () => {
  it.each([
    ['statement.js', 'text/csv', 'statement.csv'],
    ['statement.csv', 'text/csv', 'statement.csv'],
    ['Statement.CSV', 'text/csv', 'Statement.CSV'],
    ['statement', 'text/csv', 'statement.csv'],
    ['statement.csv.exe', 'text/csv', 'statement.csv.csv'],
    ['statement.csv.', 'text/csv', 'statement.csv..csv'],
    ['statement.csv ', 'text/csv', 'statement.csv .csv'],
    ['.exe', 'application/pdf', 'document.pdf'],
    ['', 'application/pdf', 'document.pdf'],
    ['photo.jpeg', 'image/jpeg', 'photo.jpeg'],
    ['photo.png', 'image/jpeg', 'photo.jpg'],
    ['2026 v1.2 final', 'application/pdf', '2026 v1.2 final.pdf'],
  ] as const)('saves %j of type %s as %j', (filename, type, expected) => {
    expect(downloadName(filename, type)).toBe(expected);
  });

  it('uses an extension of the type, for every type', () => {
    for (const type of CONTENT_TYPES)
      expect(downloadName('a.html', type)).toMatch(/^a\.(pdf|jpg|png|csv|xlsx)$/);
  });
});
