/** The requests to the bare server or to the gateway. */
export type RequestKind = 'insert' | 'select' | 'create' | 'create-basic' | 'read' | 'read-by-reference';

/** A submission, or a row of the bare server, that a read requests. */
export interface Subject {
  readonly id: string;
  readonly reference: string;
}

export interface RequestSource {
  readonly kind: RequestKind;
  readonly credential: string;
  /** References have the form `SERIES-NUMBER`. */
  readonly series: string;
  /** The first customer number; each request number is a different customer. */
  readonly firstCustomer: number;
  /** The subjects of reads, in turn. */
  readonly subjects?: readonly Subject[];
}

/** Eight digits, as in a company number, which never repeat within a run. */
export const FIRST_CUSTOMER = 10_000_000;
/** Mobile numbers from +44 7100 000000 on. */
const FIRST_TELEPHONE = 100_000_000;

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the request for a number. */
export type MakeRequest = (number: number) => BenchRequest;

/** The number of source addresses used in turn, because the limit per address is far below the measured load. */
const ADDRESSES = 256;

export function requestMaker(source: RequestSource): MakeRequest {
  const { kind, credential, series, firstCustomer, subjects = [] } = source;
  const headers = (number: number) => ({
    authorization: `Bearer ${credential}`,
    'x-forwarded-for': `10.0.0.${number % ADDRESSES}`,
  });
  const post =
    (path: string, body: (reference: string, customer: number) => string): MakeRequest =>
    (number) => ({
      method: 'POST',
      path,
      headers: { ...headers(number), 'content-type': 'application/json' },
      body: body(referenceOf(series, number), firstCustomer + number),
    });
  const get =
    (path: (subject: Subject) => string): MakeRequest =>
    (number) => {
      const subject = subjects[number % subjects.length];
      if (!subject) throw new Error('there is nothing to read');
      return { method: 'GET', path: path(subject), headers: headers(number) };
    };
  switch (kind) {
    case 'insert':
      return post('/rows', enquiry);
    case 'select':
      return get(({ id }) => `/rows/${id}`);
    case 'create':
      return post('/v1/supplier-submissions', enquiry);
    case 'create-basic':
      return post('/v2/supplier-submissions', basicEnquiry);
    case 'read':
      return get(({ id }) => `/v1/supplier-submissions/${id}`);
    case 'read-by-reference':
      return get(({ reference }) => `/v1/supplier-submissions?external_reference=${reference}`);
  }
}

export const referenceOf = (series: string, number: number): string =>
  `${series}-${String(number).padStart(8, '0')}`;

/** Returns the body of a customer's create. */
export function enquiry(reference: string, customer: number): string {
  return `{"external_reference":"${reference}","level":"application",${customerFields(customer)},"business_structure":"limited-company","business_sector":"construction","trading_duration":"5-plus-years","annual_turnover_gbp":850000,"funding_purpose":"equipment","funding_timeframe":"within-1-month","preferred_contact_method":"email","privacy_information":{"provided":true,"wording_version":"privacy-1","captured_at":"2026-11-20T09:30:00Z"},"marketing":false,${capturedFields}}`;
}

function basicEnquiry(reference: string, customer: number): string {
  return `{"external_reference":"${reference}","level":"basic",${customerFields(customer)},${capturedFields}}`;
}

const customerFields = (customer: number) =>
  `"first_name":"Ada","last_name":"Sample","email":"ada.${customer}@example.com","telephone":"+447${
    FIRST_TELEPHONE + customer
  }","business_name":"Sample ${customer} Ltd","company_number":"${customer}","funding_amount":45000`;

const capturedFields =
  '"contact_expectation":{"permission_stated":true,"channels":["email","phone"],"wording_version":"contact-1","captured_at":"2026-11-20T09:30:01.5Z"},"capture_timestamp":"2026-11-20T09:30:02.123Z","attribution":{"source":"local-benchmark"}';
