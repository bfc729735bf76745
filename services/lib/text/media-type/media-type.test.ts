import { mediaTypeOf } from './index.ts';

describe('mediaTypeOf', () => {
  it.each([
    ['application/pdf', 'application/pdf'],
    ['Application/PDF', 'application/pdf'],
    ['IMAGE/JPEG', 'image/jpeg'],
    ['text/csv', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv;charset=UTF-8', 'text/csv'],
    ['Text/CSV ;\tCharset="Utf-8"', 'text/csv'],
    ['text/csv;', 'text/csv'],
    ['text/csv; ; charset=utf-8;', 'text/csv'],
  ])('reads %j as %s', (text, type) => {
    expect(mediaTypeOf(text)).toBe(type);
  });

  it.each([
    '',
    'pdf',
    'application/pdf/x',
    ' application/pdf',
    'application/pdf ',
    'application/pdf\n',
    'application/pdf; charset=utf-8',
    'application/pdf, text/csv',
    'text/csv; charset=utf-16',
    'text/csv; charset=windows-1252',
    'text/csv; charset=utf-8; charset=utf-8',
    'text/csv; charset = utf-8',
    "text/csv; charset='utf-8'",
    'text/csv; charset="utf-8',
    'text/csv; charset=',
    'text/csv; header=present',
    'text/csv; charset=utf-8\r\nx-header: 1',
    'text/csv; \u00a0charset=utf-8',
    'text/c\u017fv',
  ])('rejects %j', (text) => {
    expect(mediaTypeOf(text)).toBeUndefined();
  });

  it('reads long text in linear time', () => {
    expect(mediaTypeOf(`text/csv${'; '.repeat(50_000)}x`)).toBeUndefined();
  });
});
