import { DeliveryStateSchema } from '@supplier/proto/webhook/v1/webhook';
import { SUPPLIER } from './supplier-texts.ts';

export type SupplierTab = keyof typeof SUPPLIER.tabs;

/** The open tab and the filter of the events, which are URL parameters. */
export interface SupplierSearch {
  /** The overview, if omitted. */
  readonly tab?: SupplierTab;
  /** Delivery states of the contract. */
  readonly states?: readonly number[];
}

const isTab = (tab: unknown): tab is SupplierTab => typeof tab === 'string' && tab in SUPPLIER.tabs;

/** Returns the valid parameters of a URL. Anything else is dropped. */
export function supplierSearch({ tab, states }: Record<string, unknown>): SupplierSearch {
  const values = [states].flat().map(Number).filter(isState);
  return {
    ...(isTab(tab) && tab !== 'overview' ? { tab } : {}),
    ...(values.length > 0 ? { states: values } : {}),
  };
}

const isState = (value: number) =>
  value > 0 && DeliveryStateSchema.values.some(({ number }) => number === value);
