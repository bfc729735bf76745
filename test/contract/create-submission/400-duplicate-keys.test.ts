import { fullEnquiry } from '../../harness/enquiries.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const body = fullEnquiry();
const valid = JSON.stringify(body);
const withFirst = (pair: string): string => valid.replace('{', `{${pair},`);
const insideOf = (object: string, pair: string): string =>
  valid.replace(`"${object}":{`, `"${object}":{${pair},`);

describe('create with a duplicate key', () => {
  it.each([
    ['with another value', withFirst('"level":"basic"')],
    ['with the same value', withFirst('"level":"application"')],
    ['in an escaped spelling', withFirst('"l\\u0065vel":"application"')],
    ['in two escaped spellings', withFirst('"\\u006cevel":"basic","\\u006Cevel":"basic"')],
    ['inside an object', insideOf('home_address', '"city":"York"')],
    ['two levels down', insideOf('declared', '"hmrc_arrears":"none"')],
    ['inside a list', withFirst('"extra":[{"a":1,"a":2}]')],
    ['and is unknown', withFirst('"extra":1,"extra":1')],
    ['and is empty', withFirst('"":1,"":1')],
    ['and is __proto__', withFirst('"__proto__":1,"__proto__":1')],
    ['with a quote in it', withFirst('"a\\"b":1,"a\\u0022b":1')],
    ['after a text that looks like a key', withFirst('"a":"\\"b\\":","b":1,"b":2')],
  ])('returns 400 for a repeated key %s', async (_, text) => {
    refusalOf(await alpha.create(text), 400);
    refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });

  it('accepts text that only looks like a repeated key', async () => {
    const text = JSON.stringify(fullEnquiry({ business_name: '{"level":1,"level":2}' }));
    submissionOf(await alpha.create(text), 202);
  });
});
