import { deflateSync } from 'node:zlib';
import { samplePdf } from '../../testing/sample-files.ts';
import { contentCheck } from './content-check.ts';
import { ACTIONS } from './pdf-names.ts';

async function matches(inside: string | Uint8Array, chunkBytes: number): Promise<boolean> {
  const bytes = samplePdf(typeof inside === 'string' ? Buffer.from(inside, 'latin1') : inside);
  const check = contentCheck('application/pdf');
  for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
  return check.matches();
}

async function expectMatch(inside: string | Uint8Array, expected: boolean): Promise<void> {
  for (const chunkBytes of [1, 13, 1_000_000])
    expect([chunkBytes, await matches(inside, chunkBytes)]).toEqual([chunkBytes, expected]);
}

const object = (text: string) => `2 0 obj\n${text}\nendobj\n`;
const stream = (text: string, dictionary = '') =>
  `3 0 obj\n<< /Length ${text.length} ${dictionary} >>\nstream\n${text}\nendstream\nendobj\n`;
/** Makes an object stream from objects that begin at `places`. */
function packed(text: string, places = [0]): Buffer {
  const numbers = `${places.map((place, index) => `${index + 1} ${place}`).join(' ')} `;
  const bytes = deflateSync(Buffer.from(numbers + text, 'latin1'));
  const dictionary = `/Type/ObjStm/N ${places.length}/First ${numbers.length}/Filter/FlateDecode`;
  return Buffer.from(stream(bytes.toString('latin1'), dictionary), 'latin1');
}

describe.each([...ACTIONS])('the name /%s', (action) => {
  const [first = '', ...rest] = action;
  const escaped = `#${first.charCodeAt(0).toString(16)}${rest.join('')}`;
  const dictionary = `<< /S /${action} /JS (x) >>`;
  const titled = `<< /Title (a \\( /${action}) >>`;

  it.each([
    ['an object', object(dictionary)],
    ['an object, escaped', object(`<< /S /${escaped} >>`)],
    ['an object without spaces', object(`<</S/${action}/F(x)>>`)],
    ['a key of an object', object(`<< /${action} 5 0 R >>`)],
    ['a list', object(`[ 1 [ /${action} ] ]`)],
    ['an object after text and a comment', object(`<< /T (a (b\\)) /Launchpad) % /x (\n /S /${action} >>`)],
    ['an object after a hexadecimal string', object(`<< /T <2f4c> /S/${action} >>`)],
    ['the dictionary of a stream', stream('x', `/A ${dictionary}`)],
    ['the dictionary of a trailer', `trailer\n<< /Root << /OpenAction ${dictionary} >> >>\n`],
    ['the dictionary of a trailer after a comment', `trailer %x\n${dictionary}\n`],
    ['bytes between objects', dictionary],
    ['bytes after a stream', `${stream('x')}${dictionary}`],
    ['an incremental update', `\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n${object(dictionary)}`],
    ['an object stream', packed(dictionary)],
    ['an object stream, escaped', packed(`<< /S /${escaped} >>`)],
    ['an object stream after text', packed(`(a) ${dictionary}`, [0, 4])],
  ])('is rejected in %s', async (_where, inside) => {
    await expectMatch(inside, false);
  });

  it.each([
    ['a string', object(`<< /Title (the action /${action} is) >>`)],
    ['a string with nested and escaped parentheses', object(`<< /T ((a) \\) \\( /${action} \\\\) /B 1 >>`)],
    ['a string after one that ends with a backslash', object(`<< /T (a\\\\) /U (/${action}) >>`)],
    ['the address of a link', object(`<< /S /URI /URI (https://bank.example.test/${action}/statements) >>`)],
    ['a hexadecimal string', object(`<< /T < /${action} > >>`)],
    ['a comment', `% /${action}\n${object(`<< /A 1 % /S /${action}\n >>`)}% /${action}\n`],
    ['a comment that ends with a carriage return', object(`<< % /${action}\r /A 1 >>`)],
    ['a page', stream(`BT (/${action}) Tj ET /${action} BMC EMC`)],
    ['metadata', stream(`<rdf:li>/S /${action} </rdf:li>`, '/Type /Metadata /Subtype /XML')],
    ['an embedded file', stream(`<< /S /${action} >>`, '/Type /EmbeddedFile')],
    ['a string of an object stream', packed(`${titled} (/${action})`, [0, titled.length])],
    ['a longer name', object(`<< /${action}s /x${action} /${action}#20 >>`)],
    ['a comment between objects', `%/${action}\n`],
  ])('is treated as text in %s', async (_where, inside) => {
    await expectMatch(inside, true);
  });

  // Tables of objects can lead one reader into what is text to another.
  it.each([
    ['a string', object(`<< /T (a 5 0 obj ${dictionary} endobj) >>`)],
    ['a string that never ends', object(`<< /T (a\n5 0 obj ${dictionary} endobj`)],
    ['a comment', `% 5 0 obj ${dictionary} endobj\n`],
    ['a hexadecimal string', object(`<< /T <5 0 obj ${dictionary}> >>`)],
    ['a page', stream(`5 0 obj ${dictionary} endobj`)],
    ['a number without a space', `(a 5 0obj${dictionary}endobj`],
    ['a number followed by a comment', `(a 5 0%x\nobj ${dictionary} endobj`],
    ['a number followed by many spaces', `(a 5 0${' '.repeat(100)}obj ${dictionary} endobj`],
    ['a trailer in a string', object(`(trailer <</Root<</OpenAction ${dictionary}>> >>)`)],
    ['a string of an object stream', packed(`(abc ${dictionary})`, [0, 5])],
    ['a comment of an object stream', packed(`% ${dictionary}\n1`, [0, 2])],
    ['an object stream whose first offset is not a number', packed(`(${dictionary})`, [Number.NaN])],
  ])('is rejected in an object hidden in %s', async (_where, inside) => {
    await expectMatch(inside, false);
  });

  // Readers skip syntax that they do not understand within a dictionary or a list.
  it.each([
    ['an end of the object', `<< /A endobj /S /${action} >>`],
    ['a stream', `<< /A stream /S /${action} >>`],
    ['a dictionary and a stream', `<< /A << >> stream\n /S /${action} >>`],
    ['a stream in a list', `[ << >> stream << /S /${action} >> ]`],
    ['brackets that do not match', `<< [ >> ] << >> stream << /S /${action} >>`],
    ['too many closing brackets', `<< ] ] >> ] /A endobj << /S /${action} >>`],
    ['a name that looks like the end of an object', `<< /endobj /stream /S /${action} >>`],
    ['a word that begins with stream', `<< >> streams << /S /${action} >>`],
  ])('is rejected after %s', async (_what, text) => {
    await expectMatch(`2 0 obj ${text} endobj\n`, false);
  });
});

describe('PDF structure names', () => {
  it.each(['ObjStm', 'XRef', 'Encrypt'])('accepts a mention of /%s', async (name) => {
    const texts = [object(`<< /Title (/${name}) >>`), stream(`(/${name}) Tj`), `% /${name}\n`];
    await expectMatch(texts.join(''), true);
  });

  it('accepts a string that mentions streams and objects', async () => {
    await expectMatch(object('<< /T (a stream of objects, the trailer, endstream and endobj) /U 1 >>'), true);
  });
});

describe('PDF parsing limits', () => {
  it.each([
    ['objects within strings of objects', '1 0 obj(('],
    ['dictionaries within dictionaries', '1 0 obj<<'],
    ['lists within lists', '['],
  ])('rejects %s', async (_what, part) => {
    await expectMatch(`1 0 obj\n${part.repeat(600)}`, false);
  });
});
