import { fullEnquiry } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const valid = JSON.stringify(fullEnquiry());
const inside = (bytes: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from('{"first_name":"a'), Buffer.from(bytes), Buffer.from(`",${valid.slice(1)}`)]);

describe('create with malformed JSON', () => {
  it.each([
    ['an unterminated object', '{'],
    ['a truncated body', valid.slice(0, -1)],
    ['a second value', `${valid}{}`],
    ['trailing text', `${valid}x`],
    ['a trailing comma', `${valid.slice(0, -1)},}`],
    ['a missing comma', valid.replace('","', '" "')],
    ['single quotes', "{'level':'application'}"],
    ['a bare word', 'enquiry'],
    ['a key without quotes', '{level:"application"}'],
    ['a comment', `/* hello */${valid}`],
    ['a leading zero', '{"funding_amount":01000}'],
    ['a plus sign', '{"funding_amount":+1000}'],
    ['a hexadecimal number', '{"funding_amount":0x3e8}'],
    ['a decimal point without digits', '{"funding_amount":1000.}'],
    ['NaN', '{"funding_amount":NaN}'],
    ['Infinity', '{"funding_amount":Infinity}'],
    ['undefined', '{"funding_amount":undefined}'],
    ['a raw line feed in a string', '{"first_name":"a\nb"}'],
    ['a raw NUL in a string', '{"first_name":"a\u0000b"}'],
    ['an invalid escape', '{"first_name":"\\x41"}'],
    ['half a unicode escape', '{"first_name":"\\u12"}'],
    ['non-JSON white space', `\u00a0${valid}`],
    ['white space only', ' \r\n\t'],
    ['form data', 'level=application'],
  ])('returns 400 for %s', async (_, body) => {
    expect(refusalOf(await alpha.create(body), 400).code).toBe('bad_request');
  });

  it('returns 400 for a byte order mark', async () => {
    refusalOf(await alpha.create(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(valid)])), 400);
  });

  it.each([
    ['UTF-16', Buffer.from(valid, 'utf16le')],
    ['a lone byte 0xff', inside([0xff])],
    ['a Latin-1 character', inside([0xe9])],
    ['half a character', inside([0xf0, 0x9f, 0x98])],
    ['an over-long NUL', inside([0xc0, 0x80])],
    ['a surrogate in UTF-8', inside([0xed, 0xa0, 0x80])],
    ['a code point beyond the last', inside([0xf4, 0x90, 0x80, 0x80])],
  ])('returns 400 for %s, which is not UTF-8', async (_, body) => {
    refusalOf(await alpha.create(body), 400);
  });

  it('stores nothing', async () => {
    const body = fullEnquiry();
    refusalOf(await alpha.create(`${JSON.stringify(body)}x`), 400);
    refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });
});
