import { formatPounds } from '../format.ts';

/** An amount in pence, as pounds with aligned digits. Renders a dash while there is no price. */
export const Money = ({ pence }: { readonly pence: number | bigint | undefined }) => (
  <span className="number">{pence === undefined ? '—' : formatPounds(pence)}</span>
);
