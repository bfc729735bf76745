import { deflateSync } from 'node:zlib';
import { samplePdf } from '../../../testing/sample-files.ts';
import { samples as samplesOf } from '../../../testing/samples/samples.ts';
import { pdfFault } from './pdf-fault.ts';

function expectMatch(inside: string | Uint8Array, expected: boolean): void {
  const bytes = samplePdf(typeof inside === 'string' ? Buffer.from(inside, 'latin1') : inside);
  expect(pdfFault(bytes, true) === undefined).toBe(expected);
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

describe.each(['JavaScript', 'Launch', 'Rendition'])('the action /%s', (action) => {
  const [first = '', ...rest] = action;
  const escaped = `#${first.charCodeAt(0).toString(16)}${rest.join('')}`;
  const entry = `/A << /S /${action} >>`;
  const dictionary = `<< ${entry} >>`;
  const titled = `<< /Title (a \\( /${action}) >>`;

  it.each([
    ['an object', object(dictionary)],
    ['an object, escaped', object(`<< /#41 << /#53 /${escaped} >> >>`)],
    ['an object without spaces', object(`<</A<</S/${action}/F(x)>>>>`)],
    ['an object to which nothing refers', object(`<< /S /${action} /JS (x) >>`)],
    ['a list', object(`[ 1 [ ${dictionary} ] ]`)],
    [
      'an object after text and a comment',
      object(`<< /T (a (b\\)) /Launchpad) % /x (\n /A << /S % >>\n /${action} >> >>`),
    ],
    ['an object after a hexadecimal string', object(`<< /T <2f4c> /A<</S/${action}>>>>`)],
    ['the dictionary of a stream', stream('x', `/A ${dictionary}`)],
    ['the dictionary of a trailer', `trailer\n<< /Root << /OpenAction ${dictionary} >> >>\n`],
    ['the dictionary of a trailer after a comment', `trailer %x\n${dictionary}\n`],
    ['bytes between objects', dictionary],
    ['bytes after a stream', `${stream('x')}${dictionary}`],
    ['an incremental update', `\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n${object(dictionary)}`],
    ['an object stream', packed(dictionary)],
    ['an object stream, escaped', packed(`<< /A << /S /${escaped} >> >>`)],
    ['an object stream after text', packed(`(a) ${dictionary}`, [0, 4])],
  ])('is rejected in %s', (_where, inside) => {
    expectMatch(inside, false);
  });

  it.each([
    ['a string', object(`<< /Title (the action /${action} is) >>`)],
    ['a string with nested and escaped parentheses', object(`<< /T ((a) \\) \\( /${action} \\\\) /B 1 >>`)],
    ['a string after one that ends with a backslash', object(`<< /T (a\\\\) /U (/${action}) >>`)],
    ['the address of a link', object(`<< /S /URI /URI (https://bank.example.test/${action}/statements) >>`)],
    ['a comment', `% /${action}\n${object(`<< /A 1 % /S /${action}\n >>`)}% /${action}\n`],
    ['a comment that ends with a carriage return', object(`<< % /${action}\r /A 1 >>`)],
    ['a page', stream(`BT (/${action}) Tj ET /${action} BMC EMC`)],
    ['metadata', stream(`<rdf:li>/S /${action} </rdf:li>`, '/Type /Metadata /Subtype /XML')],
    ['a key', object(`<< /${action} 5 0 R >>`)],
    ['a list', object(`[ 1 [ /${action} ] ]`)],
    ['a style', object(`<< /S /${action} /P 5 0 R /K 0 >>`)],
    ['a string of an object stream', packed(`${titled} (/${action})`, [0, titled.length])],
    ['a longer name', object(`<< /${action}s /x${action} /B /${action}#20 >>`)],
    ['a comment between objects', `%/${action}\n`],
  ])('is treated as text in %s', (_where, inside) => {
    expectMatch(inside, true);
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
    ['a string, with a comment after its number', object(`<< /T (a 5 0%x\nobj ${dictionary} endobj) >>`)],
    ['a number followed by many spaces', `(a 5 0${' '.repeat(100)}obj ${dictionary} endobj`],
    ['a trailer in a string', object(`(trailer <</Root<</OpenAction ${dictionary}>> >>)`)],
    ['a string of an object stream', packed(`(abc ${dictionary})`, [0, 5])],
    ['a comment of an object stream', packed(`% ${dictionary}\n1`, [0, 2])],
    ['an object stream whose first offset is not a number', packed(`(${dictionary})`, [Number.NaN])],
  ])('is rejected in an object hidden in %s', (_where, inside) => {
    expectMatch(inside, false);
  });

  // Readers skip syntax that they do not understand within a dictionary or a list.
  it.each([
    ['an end of the object', `<< /A endobj ${entry} >>`],
    ['a stream', `<< /A stream ${entry} >>`],
    ['a dictionary and a stream', `<< /A << >> stream\n ${entry} >>`],
    ['a stream in a list', `[ << >> stream ${dictionary} ]`],
    ['brackets that do not match', `<< [ >> ] << >> stream ${dictionary}`],
    ['too many closing brackets', `<< ] ] >> ] /A endobj ${dictionary}`],
    ['a name that looks like the end of an object', `<< /endobj /stream ${entry} >>`],
    ['a hexadecimal string with other signs', `<< /T <2f${dictionary}> >>`],
    ['a keyword for a value', `<< /A b /B ${entry} >>`],
    ['a value without key', `<< /A 1 2 ${entry} >>`],
    ['a reference without space', `<< /B 5 0R /A 6 0 R >> endobj 6 0 obj << /S /${action} >>`],
    ['a word that begins with stream', `<< >> streams ${dictionary}`],
  ])('is rejected after %s', (_what, text) => {
    expectMatch(`2 0 obj ${text} endobj\n`, false);
  });
});

describe('PDF structure names', () => {
  it.each(['ObjStm', 'XRef', 'Encrypt'])('accepts a mention of /%s', (name) => {
    const texts = [object(`<< /Title (/${name}) >>`), stream(`(/${name}) Tj`), `% /${name}\n`];
    expectMatch(texts.join(''), true);
  });

  it('accepts a string that mentions streams and objects', () => {
    expectMatch(object('<< /T (a stream of objects, the trailer, endstream and endobj) /U 1 >>'), true);
  });
});

describe('a damaged PDF', () => {
  const samples = [...samplesOf('pdf/ordinary'), ...samplesOf('pdf/refused')].map(([, bytes]) => bytes);
  const parts = [
    '<<',
    '>>',
    '[',
    ']',
    '(',
    ')',
    '%',
    '/',
    '#',
    '\0',
    ' endobj ',
    ' stream\n',
    '1 0 R',
    '9 0 obj',
  ];
  /** The same numbers in each run. */
  let state = 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const damaged = (bytes: Buffer) => {
    const at = below(bytes.length);
    const part = Buffer.from(parts[below(parts.length)] ?? '');
    return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + below(12))]);
  };

  it('is accepted or refused, without another failure', () => {
    for (let run = 0; run < 1_000; run += 1) {
      const sample = samples[below(samples.length)] ?? Buffer.alloc(0);
      expect(() => pdfFault(damaged(damaged(sample)), true)).not.toThrow();
    }
  });

  it('stays refused for a script, wherever it is damaged once', () => {
    const script = samplePdf(
      Buffer.from('2 0 obj << /A << /S /JavaScript /JS (x) >> >> endobj 3 0 obj << /B 1 >> endobj'),
    );
    const start = script.indexOf('/A');
    // A comment ends the script for every reader.
    const active = parts.filter((part) => part !== '%');
    const accepted = Array.from({ length: script.length }, (_, at) => at).filter((at) => {
      const isAction = at >= start && at < start + '/A << /S /JavaScript /JS'.length;
      return (
        !isAction &&
        active.some(
          (part) =>
            pdfFault(
              Buffer.concat([script.subarray(0, at), Buffer.from(part), script.subarray(at)]),
              true,
            ) === undefined,
        )
      );
    });
    expect(accepted).toEqual([]);
  });
});

describe('PDF parsing limits', () => {
  it.each([
    ['objects within strings of objects', '1 0 obj(('],
    ['dictionaries within dictionaries', '1 0 obj<<'],
    ['lists within lists', '['],
  ])('rejects %s', (_what, part) => {
    expectMatch(`1 0 obj\n${part.repeat(600)}`, false);
  });
});
