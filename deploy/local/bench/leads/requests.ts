/** What is sent: to the bare server, or to the gateway. */
export type RequestKind = 'insert' | 'select' | 'create' | 'create-basic' | 'read' | 'read-by-reference';

/** A submission, or a row of the bare server, that a read asks for. */
export interface Subject {
  readonly id: string;
  readonly reference: string;
}

export interface RequestSource {
  readonly kind: RequestKind;
  readonly credential: string;
  /** References are `SERIES-NUMBER`. */
  readonly series: string;
  /** What the customer of number 0 is called; each number is another customer. */
  readonly firstCustomer: number;
  /** What reads ask for, in turn. */
  readonly subjects?: readonly Subject[];
}

/** Eight digits, which a company number has, and which never repeat within a run. */
export const FIRST_CUSTOMER = 10_000_000;
/** Numbers of mobile phones from +44 7100 000000 on. */
const FIRST_TELEPHONE = 100_000_000;

/** Makes the whole text of the request of a number, as it goes over a connection. */
export type WriteRequest = (number: number, connection: number) => string;

/** Each connection is one address: what one address may send is far less than what is measured. */
export function requestWriter(source: RequestSource): WriteRequest {
  const { kind, series, firstCustomer, subjects = [] } = source;
  const post = (path: string, body: (reference: string, customer: number) => string): WriteRequest => {
    const head = headOf('POST', path, source.credential);
    return (number, connection) => {
      const text = body(referenceOf(series, number), firstCustomer + number);
      return `${head}${address(connection)}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    };
  };
  const get = (path: (subject: Subject) => string): WriteRequest => {
    return (number, connection) => {
      const subject = subjects[number % subjects.length];
      if (!subject) throw new Error('there is nothing to read');
      return `${headOf('GET', path(subject), source.credential)}${address(connection)}\r\n\r\n`;
    };
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

const address = (connection: number) =>
  `10.${connection >> 16}.${(connection >> 8) & 255}.${connection & 255}`;

const headOf = (method: string, path: string, credential: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${credential}\r\nx-forwarded-for: `;

/** The body of a create of a customer. ASCII throughout, so that a character is a byte. */
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
