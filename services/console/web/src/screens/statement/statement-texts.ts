/** Texts of a statement's screen. */
export const STATEMENT = {
  parent: 'Billing',
  title: (supplier: string, month: string) => `${supplier}, ${month}`,
  notFound: 'There is no such supplier.',
  closed: (time: string) => `Closed ${time}. It can no longer change.`,
  open: 'Open. Lines can still be added.',
  earlier: (month: string) => `← ${month}`,
  later: (month: string) => `${month} →`,

  net: 'Net',
  charged: 'Charged',
  credited: 'Credited',
  charges: 'charge',
  credits: 'credit',
  unpriced: (lines: string) => `${lines} without a price`,
  allPriced: 'Every line has a price',
  byModel: 'By billing model',
  noLines: 'No charges or credits.',

  lines: 'Lines',
  noLinesHelp:
    'No charges or credits in this month. A line appears when a submission becomes billable or is returned.',
  firstLines: (count: string) =>
    `Only the first ${count} lines are shown. Download the CSV file for all of them.`,
  allLines: 'All lines are shown.',
  reference: 'Reference',
  submission: 'Submission',
  kind: 'Kind',
  model: 'Billing model',
  occurred: 'Date',
  noPrice: 'No price',
  download: 'Download CSV',
  downloaded: (lines: string) => `${lines} so far`,
  stop: 'Stop',
  tooMany: (count: string, command: string) =>
    `The statement has more than ${count} lines, too many for a browser. In a terminal: ${command}`,

  prices: 'Prices',
  noPrices: 'No price set. New lines have no price until you set one.',
  price: 'Price',
  from: 'From',
  set: 'Set',

  setPrice: 'Set price',
  setPriceHelp: (supplier: string) =>
    `Sets the price per submission for ${supplier}. Unpriced lines get this price. Priced lines don’t change.`,
  setPriceEffect: (supplier: string, model: string, price: string, from: string) =>
    `${supplier} pays ${price} per submission (${model}) from ${from}. Unpriced lines get this price. Priced lines don’t change.`,
  now: 'now',
  pounds: 'Price per submission, in pounds',
  poundsHelp: 'For example 45 or 45.50.',
  poundsFault: 'Enter an amount up to 10,000 with at most two decimals, such as 45 or 45.50.',
  fromDay: 'From (UTC)',
  fromDayHelp: 'Leave empty to start now.',
  priceSet: (lines: string) => `Price set. Applied to ${lines}.`,
  priceSetFrom: (day: string) => `Price set. It applies from ${day} (UTC).`,
  line: 'line',

  close: 'Close month',
  monthClosed: 'Month closed',
  closeEffect: (month: string, lines: string, net: string) =>
    `Closes ${month} with ${lines} at ${net}. Later lines go to the next open month. This cannot be undone.`,
  closeUnpriced: (count: string) => `Close anyway. ${count} will stay unpriced.`,
  totalsChanged: (net: string) => `The statement now comes to ${net}. Review it, then close it.`,
} as const;
