import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { matchKeys } from './match-keys.ts';

describe('matchKeys', () => {
  it.each([
    ['07700 900123', '+447700900123'],
    ['+44 7700 900123', '+447700900123'],
    ['0044 7700 900123', '+447700900123'],
    ['(07700) 900-123', '+447700900123'],
    ['+33 6 12 34 56 78', '+33612345678'],
    ['ask for Jo', 'askforJo'],
  ])('telephone %j is %j', (given, expected) => {
    expect(matchKeys(sampleEnquiry({ telephone: given })).telephone).toBe(expected);
  });

  it.each([
    [' Ada@Example.TEST ', 'ada@example.test'],
    ['a+b@x.test', 'a+b@x.test'],
  ])('email %j is %j', (given, expected) => {
    expect(matchKeys(sampleEnquiry({ email: given })).email).toBe(expected);
  });

  it.each([
    ['123456', '00123456'],
    ['sc 123456', 'SC123456'],
    ['01234567', '01234567'],
    [' oc 3 0 1 5 4 0 ', 'OC301540'],
  ])('company number %j is %j', (given, expected) => {
    expect(matchKeys(sampleEnquiry({ companyNumber: given })).company).toBe(expected);
  });

  it('matches by nothing that was not given', () => {
    expect(matchKeys(sampleEnquiry()).company).toBeUndefined();
    expect(matchKeys(sampleEnquiry({ companyNumber: '   ', email: ' ' }))).toMatchObject({
      company: undefined,
      email: undefined,
    });
  });
});
