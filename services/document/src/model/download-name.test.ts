import { CONTENT_TYPES } from './content-types.ts';
import { downloadName } from './download-name.ts';

describe('the name of a download', () => {
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
  ] as const)('%j of %s is %j', (filename, type, expected) => {
    expect(downloadName(filename, type)).toBe(expected);
  });

  it('ends as its type, for every type', () => {
    for (const type of CONTENT_TYPES)
      expect(downloadName('a.html', type)).toMatch(/^a\.(pdf|jpg|png|csv|xlsx)$/);
  });
});
