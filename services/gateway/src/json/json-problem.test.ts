import fc from 'fast-check';
import { jsonProblem } from './json-problem.ts';

const AT = 'The body is not valid JSON at line';
const QUOTES = 'Use straight double quotation marks (").';
const KEY = 'Put the property name in double quotation marks.';
const TEXT = 'Put text in double quotation marks. Only numbers, true, false and null are written without.';
const NUMBER = 'Write the number in decimal digits, without leading zeros or a plus sign.';
const STRING = 'Close the string, and escape each backslash and quotation mark in it.';
const CUT = 'It is incomplete. Send the whole body.';
const MORE = 'Remove what follows the JSON value.';
const COMMA = 'A comma or a closing bracket is missing.';
const NO_JSON = 'The body is not JSON. Send a JSON object, starting with {.';

describe('jsonProblem', () => {
  it.each([
    ['{"a":1,}', `${AT} 1, column 8. Remove the comma before the closing bracket.`],
    ['{"a":[1,2,\n]}', `${AT} 2, column 1. Remove the comma before the closing bracket.`],
    ['{"a":1', `${AT} 1, column 7. ${CUT}`],
    ['{"a":"x', `${AT} 1, column 6. ${STRING}`],
    ['{"a":"\\x"}', `${AT} 1, column 6. ${STRING}`],
    [
      '{"a":"x\ny"}',
      `${AT} 1, column 6. Escape control characters in strings, such as \\n for a line break.`,
    ],
    ['{a:1}', `${AT} 1, column 2. ${KEY}`],
    ["{'a':1}", `${AT} 1, column 2. ${QUOTES}`],
    ['{"a":“x”}', `${AT} 1, column 6. ${QUOTES}`],
    ['{"a":1 "b":2}', `${AT} 1, column 8. ${COMMA}`],
    ['{"a":[1,2}', `${AT} 1, column 10. ${COMMA}`],
    ['{"a" 1}', `${AT} 1, column 6. A colon is missing after the property name.`],
    ['{"a":}', `${AT} 1, column 6. A value is missing.`],
    ['{"a":NaN}', `${AT} 1, column 6. ${TEXT}`],
    ['{"a":None}', `${AT} 1, column 6. ${TEXT}`],
    ['{"a":01}', `${AT} 1, column 6. ${NUMBER}`],
    ['{"a":+1}', `${AT} 1, column 6. ${NUMBER}`],
    ['{"a":.5}', `${AT} 1, column 6. ${NUMBER}`],
    ['{"a":1, // one\n"b":2}', `${AT} 1, column 9. Remove the comment.`],
    ['{"a":1}{"b":2}', `${AT} 1, column 8. ${MORE}`],
    ['{"a":1}\n;', `${AT} 2, column 1. ${MORE}`],
    ['first_name=Ada', 'The body is a form. Send a JSON object.'],
    ['a[b]=1&c=2', 'The body is a form. Send a JSON object.'],
    ['<enquiry/>', NO_JSON],
    ['enquiry.json', NO_JSON],
  ])('locates the problem and explains how to fix %j', (text, expected) => {
    expect(jsonProblem(text)).toBe(expected);
  });

  it('finds the end of any truncated JSON text', () => {
    const objects = fc.json({ maxDepth: 4 }).map((json) => `{"a": ${json} }`);
    fc.assert(
      fc.property(objects, fc.nat(), (text, at) => {
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        expect(jsonProblem(cut)).toMatch(/It is incomplete|Close the string|Write the number|Put text in/);
      }),
    );
  });

  it('quotes nothing of the text and stays within the maximum message length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const message = jsonProblem(`{"a": "s3cret" ${text}`);
        expect(message).not.toContain('s3cret');
        expect(message.length).toBeLessThanOrEqual(200);
      }),
    );
  });
});
