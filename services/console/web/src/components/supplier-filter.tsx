import { AccountService } from '@supplier/proto/account/v1/account';
import { useMay } from '../calls.ts';
import { UUID } from '../format.ts';
import { ChoiceFilter, TextFilter } from './filter-bar.tsx';
import { useSupplierNames } from './supplier-name.tsx';

interface SupplierFilterProps {
  /** The account's id, or undefined for every supplier. */
  readonly value: string | undefined;
  readonly onChange: (accountId: string) => void;
}

/** A chip that filters by one supplier: by name or account ID, or only by ID for people who may not list suppliers. */
export function SupplierFilter({ value, onChange }: SupplierFilterProps) {
  const may = useMay();
  const options = [...useSupplierNames()].map(([accountId, name]) => ({ value: accountId, label: name }));
  if (!may(AccountService.method.listAccounts))
    return (
      <TextFilter
        label="Account ID"
        value={value}
        onChange={onChange}
        pattern={UUID.source.replaceAll('a-f', 'a-fA-F')}
        title="Enter a complete account ID."
      />
    );
  // A supplier beyond the loaded names is still chosen by its address.
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return (
    <ChoiceFilter
      label="Supplier"
      options={isKnown ? options : [{ value, label: value }, ...options]}
      value={value ? [value] : []}
      onChange={([accountId = '']) => onChange(accountId)}
      isSingle
      entered={(text) => (UUID.test(text) ? text : undefined)}
    />
  );
}
