import './browser-storage.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AccountSchema } from '@supplier/proto/account/v1/account';
import { ScheduledTermsSchema, ScheduledTermsState } from '@supplier/proto/account/v1/scheduled_terms';
import {
  ACCOUNT_SETTINGS,
  changed,
  differencesOf,
  errorOf,
  flagsFor,
  formatSetting,
  inOrder,
  SCHEDULED_SETTINGS,
  summaryOf,
} from '../web/src/screens/supplier/settings.ts';
import { versionsOf } from '../web/src/screens/supplier/terms-versions.ts';

const PATH = 'caps.accepted_per_day';
const setting = SCHEDULED_SETTINGS.filter(({ path }) => path === PATH);
const [daily] = setting;

describe('a setting', () => {
  if (!daily) throw new Error(`the contract has no ${PATH}`);

  it.each([
    ['', undefined],
    ['1', undefined],
    ['999999999', undefined],
    ['1000000000', 'Enter a whole number'],
    ['1.5', 'Enter a whole number'],
    ['-1', 'Enter a whole number'],
  ])('of %p is valid or not', (text, error) => {
    if (error === undefined) expect(errorOf(daily, text)).toBeUndefined();
    else expect(errorOf(daily, text)).toContain(error);
  });

  it('is formatted for people', () => {
    expect([formatSetting(daily, ''), formatSetting(daily, '12000')]).toEqual(['None', '12,000']);
  });

  it('differs only if its text does', () => {
    const difference = (before: string, after: string) =>
      differencesOf(
        setting,
        () => before,
        () => after,
      );
    expect(difference('10', '10')).toEqual([]);
    expect(difference('10', '')).toEqual([{ label: 'Accepted per day', before: '10', after: 'None' }]);
  });

  it('is sent if it was entered, and removed if it was emptied', () => {
    const json = { caps: { accepted_per_day: 10, accepted_per_month: 100 } };
    expect(changed(json, setting, { [PATH]: '20' })).toEqual({
      caps: { accepted_per_day: 20, accepted_per_month: 100 },
    });
    expect(changed(json, setting, { [PATH]: '' })).toEqual({ caps: { accepted_per_month: 100 } });
    expect(changed(json, setting, {})).toEqual(json);
    expect(json.caps.accepted_per_day).toBe(10);
  });

  it('is summed up with the others of its section', () => {
    const summary = (texts: Readonly<Record<string, string>>) =>
      summaryOf(ACCOUNT_SETTINGS, ({ path }) => texts[path] ?? '');
    expect(summary({})).toBe('None');
    expect(
      summary({
        permitted_scopes: '1,3',
        'terms.billing_model': '1',
        'terms.thresholds.minimum_funding_amount': '5000',
        'terms.caps.accepted_per_day': '7',
        'terms.enrolments.arrival_screen': 'true',
      }),
    ).toBe(
      'Permitted scopes create:basic, read · Accepted submission · Minimum funding amount £5,000 · Accepted per day 7 · Arrival screen',
    );
  });

  it.each([
    ['20', '--accepted-per-day 20'],
    ['', '--accepted-per-day none'],
  ])('of %p is a flag', (text, flag) => expect(flagsFor(setting, { [PATH]: text })).toBe(flag));

  it('with several values has them in order', () => expect(inOrder(['10', '9', '1'])).toBe('1,9,10'));
});

describe('versions of terms', () => {
  const { EFFECTIVE, WAITING, CANCELLED } = ScheduledTermsState;
  const terms = (day: number, perDay: number, state: ScheduledTermsState) =>
    create(ScheduledTermsSchema, {
      state,
      effectiveFrom: timestampFromDate(new Date(Date.UTC(2026, 10, day))),
      caps: { acceptedPerDay: perDay },
    } satisfies MessageInitShape<typeof ScheduledTermsSchema>);

  it('are each compared with the one they replace, in the order in which they take effect', () => {
    const account = create(AccountSchema, { terms: { caps: { acceptedPerDay: 3 } } });
    // Listed by the service in any order.
    const listed = [
      terms(28, 5, WAITING),
      terms(1, 1, EFFECTIVE),
      terms(26, 4, WAITING),
      terms(27, 9, CANCELLED),
      terms(2, 2, CANCELLED),
      terms(3, 3, EFFECTIVE),
    ];
    const changes = versionsOf(account, listed).map(({ before, after }) =>
      daily ? [before?.(daily), after(daily)] : [],
    );
    expect(changes).toEqual([
      [undefined, '1'],
      ['1', '2'],
      ['1', '3'],
      ['3', '4'],
      ['3', '9'],
      ['4', '5'],
    ]);
  });
});
