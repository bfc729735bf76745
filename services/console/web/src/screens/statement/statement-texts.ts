/** Texts of a statement's screen. */
export const STATEMENT = {
  unpriced: (lines: string) => `${lines} without a price`,
  downloaded: (lines: string) => `${lines} so far`,
  tooMany: (count: string, command: string) =>
    `The statement has more than ${count} lines, too many for a browser. In a terminal: ${command}`,
  setPriceEffect: (supplier: string, model: string, price: string, from: string) =>
    `${supplier} pays ${price} per submission (${model}) from ${from}. Unpriced lines get this price. Priced lines don’t change.`,
  priceSet: (count: string) => `Price set. Applied to ${count}.`,
  closeUnpriced: (count: string) => `Close anyway. ${count} will stay unpriced.`,
} as const;
