// Invented names. Combinations of them belong to no business or person that we know of.

export const FIRST_NAMES = [
  ...([
    'Amara',
    'Bethan',
    'Callum',
    'Daniel',
    'Elif',
    'Fiona',
    'Gareth',
    'Harpreet',
    'Isla',
    'Jamal',
  ] as const),
  ...([
    'Kirsty',
    'Liam',
    'Maryam',
    'Niamh',
    'Oliver',
    'Priya',
    'Rhys',
    'Saoirse',
    'Tomasz',
    'Yusuf',
  ] as const),
] as const;

export const LAST_NAMES = [
  ...(['Abernethy', 'Blackwood', 'Chaudhry', 'Dunmore', 'Eastlake', 'Fairweather', 'Gallimore'] as const),
  ...([
    'Hollis',
    'Iqbal',
    'Jessop',
    'Kowal',
    'Lockhart',
    'Mbeki',
    'Nettleton',
    'Okonjo',
    'Pemberton',
  ] as const),
  ...(['Quayle', 'Rowntree', 'Sandhu', 'Thistlewood', 'Underhill', 'Vickers', 'Whitlock'] as const),
] as const;

/** The first words of business names. With a trade each, there are over 900 names. */
export const PLACES = [
  ...(['Ashcombe', 'Birchover', 'Calderfold', 'Dunmallet', 'Eskmere', 'Foxholm', 'Gannetwick'] as const),
  ...([
    'Harrowgill',
    'Inglebrook',
    'Kettlemoor',
    'Larkrigg',
    'Millthwaite',
    'Norhallow',
    'Otterspool',
  ] as const),
  ...(['Pikestone', 'Quernford', 'Ravenglade', 'Saltcote', 'Thornley Cross', 'Umberfield'] as const),
  ...(['Vennacott', 'Wexmoor', 'Yarrowdale', 'Brackenhill', 'Coppergate', 'Dovestone', 'Elmswell'] as const),
  ...(['Fernhurst Row', 'Greystoke Lane', 'Hollinsend'] as const),
] as const;

/** Trades, with their sector in the public API. */
export const TRADES = [
  ['Joinery', 'construction'],
  ['Groundworks', 'construction'],
  ['Roofing', 'construction'],
  ['Haulage', 'transport'],
  ['Couriers', 'transport'],
  ['Coach Hire', 'transport'],
  ['Precision Engineering', 'manufacturing'],
  ['Packaging', 'manufacturing'],
  ['Ceramics', 'manufacturing'],
  ['Garage', 'motor-trade'],
  ['Tyres', 'motor-trade'],
  ['Home Stores', 'retail-wholesale'],
  ['Wholesale Foods', 'retail-wholesale'],
  ['Outdoor Supplies', 'retail-wholesale'],
  ['Kitchen', 'hospitality'],
  ['Brewing Co', 'hospitality'],
  ['Guest House', 'hospitality'],
  ['Accountants', 'professional-services'],
  ['Surveyors', 'professional-services'],
  ['Dental Care', 'healthcare'],
  ['Care Homes', 'healthcare'],
  ['Veterinary Practice', 'healthcare'],
  ['Dairy', 'agriculture'],
  ['Nurseries', 'agriculture'],
  ['Hair and Beauty', 'beauty-wellness'],
  ['Cleaning Services', 'facilities'],
  ['Grounds Maintenance', 'facilities'],
  ['Software', 'technology-media'],
  ['Print and Design', 'technology-media'],
  ['Tuition', 'education'],
  ['Pet Boarding', 'other'],
] as const;

export const TOWNS = [
  ['Leeds', 'LS99 9ZZ'],
  ['Cardiff', 'CF99 9ZZ'],
  ['Glasgow', 'G99 9ZZ'],
  ['Bristol', 'BS99 9ZZ'],
  ['Belfast', 'BT99 9ZZ'],
] as const;

/** Ofcom's numbers for use in drama: each is followed by four digits, of which the first is 0. */
export const LANDLINES = [
  ...(['0113 496', '0114 496', '0115 496', '0116 496', '0117 496', '0118 496', '0121 496'] as const),
  ...(['0131 496', '0141 496', '0151 496', '0161 496', '020 7946', '0191 498'] as const),
] as const;
