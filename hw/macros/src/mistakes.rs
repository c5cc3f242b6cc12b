//! What the two attributes say of the likeliest mistakes.

use proc_macro2::TokenStream;
use quote::quote;

/// The sentence of the error that the tokens hold, which keep what was written.
fn sentence(written: &TokenStream, kept: &str) -> String {
    let text = written.to_string();
    assert!(text.replace(' ', "").contains(kept), "{text}");
    let (_, rest) = text
        .split_once("compile_error ! { \"")
        .unwrap_or_else(|| panic!("no error in {text}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn a_block_is_told_what_is_wrong_with_its_struct() {
    let good = quote! { pub struct A { pub a: Signal<In, Bit> } };
    for (arguments, item, complaint) in [
        (
            quote!(topp),
            good.clone(),
            "a block is `top`, or has a constructor",
        ),
        (
            quote!(),
            quote! { pub struct A(Signal<In, Bit>); },
            "the fields of a block have names",
        ),
        (
            quote!(),
            quote! { pub struct A { #[init(1)] #[init(2)] a: Constant<Bit> } },
            "a field has one `#[init]`",
        ),
        (
            quote!(),
            quote! { pub struct A { #[init] a: Constant<Bit> } },
            "expected attribute arguments",
        ),
        (quote!(), quote! { pub enum A { B } }, "expected `struct`"),
    ] {
        let written = crate::block::block(arguments, item.clone());
        let found = sentence(&written, &item.to_string().replace(' ', ""));
        assert!(found.starts_with(complaint), "{found}");
    }
}

#[test]
fn a_kernel_is_told_what_is_not_translated() {
    for (body, complaint) in [
        (
            quote!(let a = self.b.val();),
            "a kernel has no variables, items or macros",
        ),
        (
            quote!(println!("a");),
            "a kernel has no variables, items or macros",
        ),
        (
            quote!(self.a = self.b.val();),
            "a kernel assigns to `next` of a signal",
        ),
        (
            quote!(self.a.next = self.b.next;),
            "a kernel reads `val()` of a signal",
        ),
        (
            quote!(self.a.next = self.b.val().count_ones();),
            "this method is not translated",
        ),
        (
            quote!(self.a.next = f(self.b.val());),
            "this function is not translated",
        ),
        (
            quote!(self.a.next = 1_i8;),
            "a literal is `true`, `false`, or an unsigned number",
        ),
        (
            quote!(self.a.next = self.b.val().get_bits(0);),
            "`get_bits` says how many",
        ),
        (
            quote!(for b in self.bits {
                self.a.next = true;
            }),
            "a loop is `for i in FROM..TO`",
        ),
        (
            quote!(for i in 0..=3 {
                self.a[i].next = true;
            }),
            "a loop is `for i in FROM..TO`",
        ),
        (
            quote!(match self.b.val() {
                State::Idle if self.go.val() => self.a.next = true,
                _ => {}
            }),
            "a pattern has no guard",
        ),
        (
            quote!(self.a.next = bits_reversed(self.b.val());),
            "this function is not translated",
        ),
        (
            quote!(while self.b.val() {
                self.a.next = true;
            }),
            "a kernel has assignments, `if`, `match` and `for`",
        ),
        (
            quote!(self.a.next = self.b.val() % 3;),
            "this operator is not translated",
        ),
    ] {
        let kernel = quote! { fn update(&mut self) { #body } };
        let written = crate::kernel::logic(&quote!(), &kernel);
        let found = sentence(&written, &body.to_string().replace(' ', ""));
        assert!(found.starts_with(complaint), "{found}");
    }
    let other = quote! { fn upgrade(&mut self) {} };
    let found = sentence(&crate::kernel::logic(&quote!(), &other), "upgrade");
    assert_eq!(found, "a kernel is `fn update(&mut self)`");
}

#[test]
fn a_kernel_becomes_a_text_and_the_numbers_of_an_instance() {
    let kernel = syn::parse_quote!({
        for i in 0..N {
            self.a[i].d.next = self.b.val() && (self.c.val() == bits::<W>(5));
        }
        if self.state.q.val() == State::Idle {
            self.out.next.field = self.row.val().part;
        }
    });
    let text = crate::text::of(&kernel).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        text.text,
        "{ for i 0 %0 { = s a[i]$d$next && s b ( == s c cast %1 n 5 } \
         ? == s state$q s State$Idle { [= s out %2 n %3 slice %4 n %5 s row } . }"
    );
    assert_eq!(text.numbers.len(), 6);
}

#[test]
fn a_field_is_wired_if_it_is_another_block() {
    let item = quote! {
        pub struct A {
            pub clock: Signal<In, Clock>,
            pub a: [Signal<In, Bit>; 4],
            #[used(self.a[0].val())]
            b: [Register<Bit>; 4],
            #[init(Constant::new(true))]
            c: Constant<Bit>,
        }
    };
    let text = crate::block::block(quote!(top), item)
        .to_string()
        .replace(' ', "");
    assert!(
        text.contains("Part::wire(&mutself.b,clock,reset)"),
        "{text}"
    );
    assert!(
        text.contains("let(clock,reset)=(self.clock.val(),false)"),
        "{text}"
    );
    assert!(!text.contains("self.c,clock"), "{text}");
    assert!(text.contains("ifself.a[0].val(){"), "{text}");
    assert!(
        text.contains("b:::std::array::from_fn(|_|::std::default::Default::default())"),
        "{text}"
    );
    assert!(text.contains("c:Constant::new(true)"), "{text}");
    assert!(text.contains("stringify!(a),&mutself.aas&mutdyn"), "{text}");
    assert!(!text.contains("stringify!(clock)"), "{text}");
}
