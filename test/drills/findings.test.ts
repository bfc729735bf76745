import { allHeld, describeDrill, findings } from './findings.ts';

const silent = () => {};

it('a drill passes only when something was checked and every check held', () => {
  expect(allHeld(findings(silent).result('restore'))).toBe(false);
  const good = findings(silent);
  good.found('leads are there', true, '12 leads');
  expect(allHeld(good.result('restore'))).toBe(true);
  good.none('no lead is billed twice', ['lead 7'], '12 leads');
  expect(allHeld(good.result('restore'))).toBe(false);
});

it('a drill reports for each promise whether it held, with a few of the exceptions', () => {
  const some = findings(silent);
  some.none('no lead is billed twice', ['a', 'b', 'c', 'd'], '12 leads');
  some.none('every event arrives', [], '30 events');
  some.measured('recovery time', 12.34, 's');
  expect(describeDrill(some.result('restore')).split('\n')).toEqual([
    'BROKEN  no lead is billed twice (4 do not: a, b, c)',
    'held    every event arrives (30 events)',
    '',
    'recovery time: 12.3 s',
    'restore: 1 of 2 promises held',
  ]);
});
