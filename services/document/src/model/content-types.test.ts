import { contentTypeOf } from './content-types.ts';

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
