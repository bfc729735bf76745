import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIds } from './ids-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'ids-'));
afterAll(() => rmSync(folder, { recursive: true }));
const read = (text: string) => {
  const file = join(folder, 'ids.csv');
  writeFileSync(file, text);
  return readIds(file, 'submission_id');
};

it.each([
  ['one id on each line, with either kind of line end', 'a\nb\r\n\nc', ['a', 'b', 'c']],
  ['a single column with its heading', 'submission_id\na\n', ['a']],
  [
    'the column of a printed table',
    'environment,submission_id,reference\r\nsandbox,a,"x, ""y""\r\nz"\r\nsandbox,b,\r\n',
    ['a', 'b'],
  ],
  ['one column as a spreadsheet saves it, with a byte order mark', '\ufeffsubmission_id\r\na\r\n', ['a']],
  ['a table as a spreadsheet saves it', '\ufeffenvironment,submission_id\r\nsandbox,a\r\n', ['a']],
  ['ids as an editor saves them, with a byte order mark', '\ufeffa\nb', ['a', 'b']],
  ['a quoted heading after a byte order mark', '\ufeff"submission_id"\n"a"\n', ['a']],
  ['nothing', '', []],
])('the ids file may be %s', (_, text, ids) => expect(read(text)).toEqual(ids));

it('the ids file is refused when it is invalid CSV, or a table without the column', () => {
  expect(() => read('submission_id\n"a\n')).toThrow('line 2 is not valid CSV');
  expect(() => read('id,name\na,b')).toThrow('no column submission_id');
  expect(() => readIds(join(folder, 'nowhere'), 'submission_id')).toThrow('cannot read ids from');
});
