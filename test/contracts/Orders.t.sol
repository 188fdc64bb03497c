// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {BRIDGED, IDepositRouter, Order, Patch, SELF, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";
import {Token, Traits, WrappedNative} from "./support/Tokens.sol";
import {BehaviourVault, Mode, OpenZeppelinVault} from "./support/Vaults.sol";

/// @notice Rejects native money.
contract Closed {}

/// @notice Somebody else's debt to an account, which anybody may trigger.
contract Debtor {
    function pay(Token token, address to, uint256 amount) external {
        token.mint(to, amount);
    }

    function payNative(address to, uint256 amount) external {
        (bool done,) = to.call{value: amount}("");
        require(done, "paid");
    }

    receive() external payable {}
}

/// @notice A bridge that takes a given amount of a token, or of the native money sent, and pays the rest back.
contract Bridge {
    function send(Token token, uint256 amount) external {
        if (amount != 0) token.transferFrom(msg.sender, address(this), amount);
    }

    function sendNative(uint256 back) external payable {
        payable(msg.sender).transfer(back);
    }
}

/// @notice Reverts with the bytes it was given.
contract Poser {
    fallback() external payable {
        bytes memory data = msg.data;
        assembly {
            revert(add(data, 32), mload(data))
        }
    }
}

/// @notice Native money on either side, floors, minimums in the middle, bridges, patches and refunds.
contract OrdersTest is RouterTest {
    WrappedNative internal weth;
    Bridge internal bridge;
    Debtor internal debtor;

    function setUp() public override {
        super.setUp();
        weth = new WrappedNative();
        bridge = new Bridge();
        debtor = new Debtor();
        vm.deal(alice, 100 ether);
        vm.prank(alice);
        weth.deposit{value: 50 ether}();
        vm.prank(alice);
        weth.approve(address(router), MAX);
    }

    function _noop() private view returns (Step memory) {
        return callStep(address(token), abi.encodeCall(Token.mint, (carol, 0)));
    }

    function _into(address receiver) private view returns (Step memory) {
        return vaultStep(address(token), address(vault), receiver);
    }

    function _pay(Order memory d, Step[] memory steps, uint256 value) private returns (uint256) {
        vm.prank(alice);
        return router.execute{value: value}(d, steps, none());
    }

    function _refuse(bytes memory why, Order memory d, Step[] memory steps, uint256 value) private {
        vm.expectRevert(why);
        _pay(d, steps, value);
    }

    // --- withdrawals and moves --------------------------------------------------------------------------------------

    /// @dev redeem(shares, receiver, owner), both the executor.
    function _redeem(OpenZeppelinVault from) private pure returns (Step memory step) {
        step = callStep(address(from), abi.encodeWithSignature("redeem(uint256,address,address)", 0, 0, 0));
        step.patches = new Patch[](3);
        step.patches[0] = Patch(4, address(from), 0, 0);
        step.patches[1] = Patch(36, SELF, 7, 3);
        step.patches[2] = Patch(68, SELF, 0, 0);
    }

    function _withShares(uint256 amount) private {
        Order memory d = simple(amount);
        d.receiver = alice;
        run(d, one(_into(alice)));
        vm.prank(alice);
        vault.approve(address(router), MAX);
    }

    function _withdrawal(uint256 shares) private view returns (Order memory d) {
        d = depositOf(address(vault), shares, address(token));
        (d.direct, d.minOut) = (false, shares);
    }

    function test_redeemNamesTheExecutorAsOwner() external {
        _withShares(100e18);
        Order memory d = _withdrawal(60e18);
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, address(vault), address(token), 60e18, 60e18, 7);
        eq(run(d, one(_redeem(vault))), 60e18, "assets");
        eq(token.balanceOf(bob), 60e18, "paid out");
        eq(vault.balanceOf(alice), 40e18, "what was not sold");
    }

    function test_moveFromOneVaultToAnother() external {
        _withShares(100e18);
        OpenZeppelinVault other = new OpenZeppelinVault(address(token), 0);
        Order memory d = depositOf(address(vault), 100e18, address(other));
        d.minOut = 100e18;
        eq(run(d, two(_redeem(vault), vaultStep(address(token), address(other), bob))), 100e18, "other shares");
    }

    function _unwrap() private view returns (Step memory step) {
        step = callStep(address(weth), abi.encodeCall(WrappedNative.withdraw, (0)));
        step.patches = patch(address(weth), 4);
    }

    function test_nativeOutPaysAnAccountWithoutCode() external {
        Order memory d = depositOf(address(weth), 3 ether, NATIVE);
        (d.direct, d.minOut) = (false, 3 ether);
        eq(run(d, one(_unwrap())), 3 ether, "output");
        eq(bob.balance, 3 ether, "paid out");
        eq(carol.balance, 0, "not refunded");
        d.minOut = 3 ether + 1;
        runExpecting(outputBelow(3 ether, 3 ether + 1), d, one(_unwrap()));
    }

    function test_nativeOutThatTheReceiverRejectsRevertsWhole() external {
        Order memory d = depositOf(address(weth), 3 ether, NATIVE);
        (d.direct, d.receiver) = (false, address(new Closed()));
        runExpecting(tokenFailed(NATIVE, bytes("")), d, one(_unwrap()));
        eq(weth.balanceOf(alice), 50 ether, "nothing lost");
    }

    function test_outputThatTheTokenRefusesRevertsWhole() external {
        _withShares(10e18);
        token.setBlocked(bob, true);
        runExpecting(tokenSaid(address(token), "blocked"), _withdrawal(10e18), one(_redeem(vault)));
    }

    /// @dev A token that takes a fee for the pay-out itself: what left the executor is not what the receiver gained.
    function test_outputOfATokenWithAFeeIsWhatArrived() external {
        Traits memory traits;
        traits.feeBps = 100;
        Token taxed = new Token(18, traits);
        Order memory d = depositOf(address(token), 100e18, address(taxed));
        (d.direct, d.minOut) = (false, 99e18);
        eq(run(d, one(_mint(taxed, 100e18))), 99e18, "what arrived");
        eq(taxed.balanceOf(bob), 99e18, "less the fee");
        d.minOut = 99e18 + 1;
        runExpecting(outputBelow(99e18, 99e18 + 1), d, one(_mint(taxed, 100e18)));
    }

    function _mint(Token minted, uint256 amount) private view returns (Step memory) {
        return callStep(address(debtor), abi.encodeCall(Debtor.pay, (minted, nextClone(), amount)));
    }

    function test_nativeOutForbidsAFee() external {
        Order memory d = depositOf(address(weth), 3 ether, NATIVE);
        (d.direct, d.nativeFee) = (false, 1);
        _refuse(abi.encodeWithSelector(IDepositRouter.NativeFeeForbidden.selector), d, one(_unwrap()), 1);
    }

    // --- what counts as output --------------------------------------------------------------------------------------

    function test_somebodyElsesPaymentInAStepIsNoOutput() external {
        Token out = ordinary();
        Order memory d = depositOf(address(token), 1e18, address(out));
        d.direct = false;
        Step memory debt = callStep(address(debtor), abi.encodeCall(Debtor.pay, (out, bob, 5e18)));
        runExpecting(outputBelow(0, 1), d, one(debt));
        runExpecting(outputBelow(0, 1), d, two(debt, _noop()));
        runExpecting(outputBelow(0, 1), d, three(_noop(), debt, _noop()));
        d.direct = true;
        runExpecting(outputBelow(0, 1), d, two(debt, _noop()));
        runExpecting(outputBelow(0, 1), d, three(_noop(), debt, _noop()));
        eq(run(d, two(_noop(), debt)), 5e18, "of a direct order the last step alone");
    }

    function test_somebodyElsesNativePaymentInAStepIsNoOutput() external {
        vm.deal(address(debtor), 5 ether);
        Order memory d = depositOf(address(token), 1e18, NATIVE);
        Step memory debt = callStep(address(debtor), abi.encodeCall(Debtor.payNative, (bob, 1 ether)));
        d.direct = false;
        runExpecting(outputBelow(0, 1), d, one(debt));
        d.direct = true;
        runExpecting(outputBelow(0, 1), d, two(debt, _noop()));
        eq(run(d, one(debt)), 1 ether, "the last step");
    }

    function test_whatTheReceiverHadBeforeIsNoOutput() external {
        token.mint(bob, 1_000e18);
        _withShares(10e18);
        Order memory d = _withdrawal(10e18);
        d.minOut = 10e18 + 1;
        runExpecting(outputBelow(10e18, 10e18 + 1), d, one(_redeem(vault)));
    }

    function test_refundsAreNoOutput() external {
        _withShares(10e18);
        Order memory d = _withdrawal(10e18);
        (d.refundTo, d.minOut) = (bob, 1);
        runExpecting(outputBelow(0, 1), d, new Step[](0));
        runExpecting(outputBelow(0, 1), d, one(_noop()));
    }

    function test_theOutputInTheSweepListIsNotRefunded() external {
        _withShares(10e18);
        Order memory d = _withdrawal(10e18);
        vm.prank(alice);
        eq(router.execute(d, one(_redeem(vault)), only(address(token))), 10e18, "paid out");
        eq(token.balanceOf(carol), 0, "ignored");
    }

    function test_outputThatComesBackAfterThePayOutOfADirectOrderIsTheReceivers() external {
        Step memory toExecutor = callStep(address(vault), abi.encodeWithSignature("deposit(uint256,address)", 1e18, 0));
        (toExecutor.approveToken, toExecutor.spender) = (address(token), address(vault));
        toExecutor.patches = patch(SELF, 36);
        Order memory d = simple(10e18);
        d.minOut = 9e18;
        vm.prank(alice);
        eq(router.execute(d, two(toExecutor, _into(bob)), only(address(vault))), 9e18, "counted");
        eq(vault.balanceOf(bob), 10e18, "and paid");
        eq(vault.balanceOf(carol), 0, "not refunded");
    }

    // --- floors -----------------------------------------------------------------------------------------------------

    function test_oneFloorIsMandatory() external {
        Order memory d = simple(100e18);
        (d.minOut, d.minOutPerIn) = (0, 0);
        runExpecting(abi.encodeWithSelector(IDepositRouter.ZeroMinOut.selector), d, into(address(vault)));
        d.minOutPerIn = 1;
        run(d, into(address(vault)));
        (d.minOut, d.minOutPerIn) = (1, 0);
        run(d, into(address(vault)));
    }

    function testFuzz_floorsAreTheLine(uint256 amount, uint256 minOut, uint256 perIn) external {
        amount = within(amount, 1, 1e30);
        minOut = within(minOut, 0, 2 * amount);
        perIn = within(perIn, minOut == 0 ? 1 : 0, 2e27);
        token.mint(alice, amount);
        Order memory d = simple(amount);
        (d.minOut, d.minOutPerIn) = (minOut, perIn);
        uint256 floor = amount * perIn / 1e27 + (mulmod(amount, perIn, 1e27) == 0 ? 0 : 1);
        if (floor < minOut) floor = minOut;
        if (amount >= floor) eq(run(d, into(address(vault))), amount, "enough");
        else runExpecting(outputBelow(amount, floor), d, into(address(vault)));
    }

    function test_floorPerUnitRoundsUp() external {
        Order memory d = simple(10);
        d.minOut = 0;
        d.minOutPerIn = 1e27 + 1;
        runExpecting(outputBelow(10, 11), d, into(address(vault)));
        d.minOutPerIn = 1e27;
        run(d, into(address(vault)));
    }

    function test_floorPerUnitFollowsWhatArrived() external {
        Order memory d = simple(MAX);
        (d.minOut, d.minOutPerIn) = (0, 1e27 + 1);
        vm.prank(alice);
        token.approve(address(router), 300e18);
        runExpecting(outputBelow(300e18, 300e18 + 1), d, into(address(vault)));
        d.minOutPerIn = 1e27;
        eq(run(d, into(address(vault))), 300e18, "min(balance, allowance)");
        eq(token.balanceOf(alice), 700e18, "the allowance bounds it");
    }

    function test_floorPerUnitOfNative() external {
        BehaviourVault half = new BehaviourVault(address(weth), Mode.MintsHalf);
        Step memory wrap = callStep(address(weth), abi.encodeCall(WrappedNative.deposit, ()));
        wrap.value = MAX;
        Order memory d = depositOf(NATIVE, MAX, address(half));
        (d.minOut, d.minOutPerIn) = (0, 0.5e27);
        eq(_pay(d, two(wrap, vaultStep(address(weth), address(half), bob)), 4 ether), 2 ether, "half is enough");
        d.minOutPerIn = 0.5e27 + 1;
        _refuse(
            outputBelow(2 ether, 2 ether + 1), d, two(wrap, vaultStep(address(weth), address(half), bob)), 4 ether
        );
    }

    function test_floorsBeyondAllNumbers() external {
        Order memory d = simple(MAX);
        (d.minOut, d.minOutPerIn) = (1, MAX);
        // 1,000e18 x (2^256 - 1) / 1e27 fits 512 bits and rounds to more than anybody has.
        runExpecting(outputBelow(1_000e18, MAX / 1e6 + 1), d, into(address(vault)));
        token.mint(alice, 1e30);
        runExpecting(outputBelow(1e30 + 1_000e18, MAX), d, into(address(vault)));
    }

    // --- minimums in the middle -------------------------------------------------------------------------------------

    function test_needIsDemandedOfFirstMiddleAndLastStep() external {
        for (uint256 at = 0; at < 3; ++at) {
            Step[] memory steps = three(_noop(), _noop(), _into(bob));
            (steps[at].needToken, steps[at].needAmount) = (address(token), 100e18 + 1);
            runExpecting(
                abi.encodeWithSelector(IDepositRouter.StepUnderfunded.selector, at, 100e18, 100e18 + 1),
                simple(100e18),
                steps
            );
            steps[at].needAmount = 100e18;
            run(simple(100e18), steps);
        }
    }

    function test_needOfNativeLeavesOutTheFee() external {
        Step memory need = _noop();
        need.needAmount = 2 ether;
        Order memory d = depositOf(NATIVE, 2 ether, address(token));
        d.nativeFee = 1 ether;
        Step memory mint = callStep(address(token), abi.encodeCall(Token.mint, (bob, 1)));
        _pay(d, three(need, need, mint), 3 ether);
        need.needAmount = 2 ether + 1;
        _refuse(
            abi.encodeWithSelector(IDepositRouter.StepUnderfunded.selector, 1, 3 ether, 2 ether + 1),
            d,
            three(_noop(), need, mint),
            3 ether
        );
        need.needAmount = MAX;
        _refuse(
            abi.encodeWithSelector(IDepositRouter.StepUnderfunded.selector, 0, 3 ether, MAX), d, two(need, mint), 3 ether
        );
    }

    function test_needOfATokenIgnoresTheFee() external {
        Order memory d = simple(100e18);
        d.nativeFee = 1 ether;
        Step memory last = _into(bob);
        (last.needToken, last.needAmount) = (address(token), 100e18);
        _pay(d, one(last), 1 ether);
        eq(carol.balance, 1 ether, "unused");
    }

    // --- bridges ----------------------------------------------------------------------------------------------------

    function _bridged(uint256 amount) private view returns (Order memory d) {
        d = depositOf(address(token), amount, BRIDGED);
        (d.direct, d.minOut) = (false, 0);
    }

    function _bridge(uint256 takes, uint256 need) private view returns (Step memory step) {
        step = callStep(address(bridge), abi.encodeCall(Bridge.send, (token, takes)));
        (step.approveToken, step.spender) = (address(token), address(bridge));
        (step.needToken, step.needAmount) = (address(token), need);
    }

    function test_whatTheBridgeTakesIsTheOutput() external {
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, address(token), BRIDGED, 100e18, 99e18, 7);
        eq(run(_bridged(100e18), one(_bridge(99e18, 98e18))), 99e18, "taken");
        eq(token.balanceOf(carol), 1e18, "the rest");
    }

    function test_bridgeThatTakesTooLittleIsRefused() external {
        for (uint256 count = 1; count < 4; ++count) {
            Step memory last = _bridge(98e18 - 1, 98e18);
            Step[] memory steps =
                count == 1 ? one(last) : count == 2 ? two(_noop(), last) : three(_noop(), _noop(), last);
            runExpecting(
                abi.encodeWithSelector(IDepositRouter.StepTookTooLittle.selector, count - 1, 98e18 - 1, 98e18),
                _bridged(100e18),
                steps
            );
        }
        runExpecting(
            abi.encodeWithSelector(IDepositRouter.StepTookTooLittle.selector, 0, 0, 1),
            _bridged(100e18),
            one(_bridge(0, 1))
        );
        eq(run(_bridged(100e18), one(_bridge(98e18, 98e18))), 98e18, "exactly");
    }

    function test_bridgeStepThatGivesBackMoreTookNothing() external {
        Step memory last = callStep(address(token), abi.encodeCall(Token.mint, (nextClone(), 5)));
        (last.needToken, last.needAmount) = (address(token), 1);
        runExpecting(
            abi.encodeWithSelector(IDepositRouter.StepTookTooLittle.selector, 0, 0, 1), _bridged(100e18), one(last)
        );
    }

    function test_bridgeNeedsAMinimumInItsLastStepAndNoOtherFloor() external {
        bytes memory unmeasured = abi.encodeWithSelector(IDepositRouter.BridgeUnmeasured.selector);
        runExpecting(unmeasured, _bridged(100e18), new Step[](0));
        runExpecting(unmeasured, _bridged(100e18), one(_bridge(100e18, 0)));
        runExpecting(unmeasured, _bridged(100e18), two(_bridge(50e18, 50e18), _noop()));
        bytes memory floored = abi.encodeWithSelector(IDepositRouter.BridgedFloor.selector);
        Order memory d = _bridged(100e18);
        d.minOut = 1;
        runExpecting(floored, d, one(_bridge(100e18, 1)));
        (d.minOut, d.minOutPerIn) = (0, 1);
        runExpecting(floored, d, one(_bridge(100e18, 1)));
    }

    function _nativeBridge(uint256 back, uint256 value, uint256 need) private view returns (Step memory step) {
        step = callStep(address(bridge), abi.encodeCall(Bridge.sendNative, (back)));
        (step.value, step.needAmount) = (value, need);
    }

    function test_nativeBridgeMustTakeTheFeeToo() external {
        Order memory d = _bridged(1e18);
        (d.tokenIn, d.amountIn, d.nativeFee) = (NATIVE, 2 ether, 1 ether);
        eq(_pay(d, one(_nativeBridge(0, 3 ether, 2 ether)), 3 ether), 3 ether, "amount and fee");
        _refuse(
            abi.encodeWithSelector(IDepositRouter.StepTookTooLittle.selector, 0, 3 ether - 1, 2 ether),
            d,
            one(_nativeBridge(1, 3 ether, 2 ether)),
            3 ether
        );
        _refuse(
            abi.encodeWithSelector(IDepositRouter.StepUnderfunded.selector, 0, 3 ether, 2 ether + 1),
            d,
            one(_nativeBridge(0, 3 ether, 2 ether + 1)),
            3 ether
        );
    }

    function test_redeemAndBridgeInOneTransactionHasItsFloor() external {
        _withShares(100e18);
        Order memory d = _bridged(100e18);
        (d.tokenIn, d.nativeFee) = (address(vault), 1 ether);
        Step memory send = _bridge(99e18, 99e18);
        eq(_pay(d, two(_redeem(vault), send), 1 ether), 99e18, "bridged");
        eq(token.balanceOf(carol), 1e18, "leftover of a token that only a step approved");
        eq(carol.balance, 1 ether, "unused fee");
    }

    // --- fees in native money ---------------------------------------------------------------------------------------

    function test_unusedFeeGoesToRefundToWhichMustTakeIt() external {
        Order memory d = simple(10e18);
        d.nativeFee = 1 ether;
        _pay(d, into(address(vault)), 1 ether);
        eq(carol.balance, 1 ether, "refunded");
        d.refundTo = address(new Closed());
        _refuse(
            abi.encodeWithSelector(IDepositRouter.RefundRejected.selector, d.refundTo, 1 ether),
            d,
            into(address(vault)),
            1 ether
        );
    }

    function test_valueIsTheFeeAndTheNativeAmount() external {
        Order memory d = simple(10e18);
        d.nativeFee = 5;
        for (uint256 value = 4; value < 7; value += 2) {
            _refuse(
                abi.encodeWithSelector(IDepositRouter.NativeValueMismatch.selector, value, 5),
                d,
                into(address(vault)),
                value
            );
        }
        d = depositOf(NATIVE, 10, address(token));
        d.nativeFee = 5;
        for (uint256 value = 14; value < 17; value += 2) {
            _refuse(
                abi.encodeWithSelector(IDepositRouter.NativeValueMismatch.selector, value, 15), d, one(_noop()), value
            );
        }
        d.nativeFee = MAX;
        _refuse(abi.encodeWithSignature("Panic(uint256)", 0x11), d, one(_noop()), 15);
    }

    function test_everythingNativeLeavesOutTheFee() external {
        Step memory mint = callStep(address(token), abi.encodeCall(Token.mint, (bob, 1)));
        Order memory d = depositOf(NATIVE, MAX, address(token));
        d.nativeFee = 1 ether;
        vm.expectEmit(address(router));
        emit IDepositRouter.OrderExecuted("ref", "partner", bob, alice, NATIVE, address(token), 2 ether, 1, 7);
        _pay(d, one(mint), 3 ether);
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroAmount.selector), d, one(mint), 1 ether);
        _refuse(abi.encodeWithSelector(IDepositRouter.ZeroAmount.selector), d, one(mint), 0.5 ether);
        d.minIn = 2 ether + 1;
        _refuse(
            abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 2 ether, 2 ether + 1), d, one(mint), 3 ether
        );
    }

    function test_everythingAsValueIsRefusedBesideAFeeInAnyStep() external {
        for (uint256 at = 0; at < 3; ++at) {
            Step[] memory steps = three(_noop(), _noop(), _noop());
            steps[at] = callStep(address(new Refund()), "");
            steps[at].value = MAX;
            Order memory d = depositOf(NATIVE, 10, address(token));
            d.nativeFee = 1;
            _refuse(abi.encodeWithSelector(IDepositRouter.StepValueForbidden.selector, at), d, steps, 11);
        }
    }

    // --- patches ----------------------------------------------------------------------------------------------------

    function testFuzz_patchIsFloorOfTheProduct(uint256 held, uint256 mul, uint256 div) external {
        held = within(held, 1, 1e40);
        token.mint(alice, held);
        Recording recording = new Recording();
        Step memory step = callStep(address(recording), bytes.concat(hex"aabbccdd", bytes32(MAX)));
        step.patches = patch(address(token), 4, mul, div);
        Order memory d = simple(held);
        (mul, div) = (mul == 0 ? 1 : mul, div == 0 ? 1 : div);
        (bool fits, uint256 word) = _product(held, mul, div);
        if (!fits) {
            runExpecting(
                abi.encodeWithSelector(IDepositRouter.StepPatchOverflow.selector, 0), d, two(step, _into(bob))
            );
            return;
        }
        run(d, two(step, _into(bob)));
        eq(recording.data(), bytes.concat(hex"aabbccdd", bytes32(word)), "word");
    }

    function test_aFactorOfTwoAloneDoubles() external {
        Recording recording = new Recording();
        Step memory step = callStep(address(recording), bytes.concat(hex"aabbccdd", bytes32(MAX)));
        step.patches = patch(address(token), 4, 2, 1);
        run(simple(3e18), two(step, _into(bob)));
        eq(recording.data(), bytes.concat(hex"aabbccdd", bytes32(uint256(6e18))), "twice");
    }

    /// @dev Long division bit by bit: slow, and nothing like the contract's own.
    function _product(uint256 a, uint256 b, uint256 d) private pure returns (bool, uint256) {
        uint256 quotient;
        uint256 rest;
        for (uint256 bit = 256; bit > 0; --bit) {
            if (quotient >> 255 != 0) return (false, 0);
            quotient <<= 1;
            (uint256 more, uint256 left) = _twice(rest, d);
            (quotient, rest) = (quotient + more, left);
            if (b >> (bit - 1) & 1 == 1) {
                uint256 add = a / d;
                if (quotient > MAX - add) return (false, 0);
                quotient += add;
                uint256 part = a % d;
                if (rest >= d - part) {
                    if (quotient == MAX) return (false, 0);
                    (quotient, rest) = (quotient + 1, rest - (d - part));
                } else {
                    rest += part;
                }
            }
        }
        return (true, quotient);
    }

    function _twice(uint256 rest, uint256 d) private pure returns (uint256, uint256) {
        return rest >= d - rest ? (uint256(1), rest - (d - rest)) : (uint256(0), rest * 2);
    }

    function test_patchesOfNativeSelfAndSeveralWords() external {
        Recording recording = new Recording();
        address clone = nextClone();
        Step memory step =
            callStep(address(recording), bytes.concat(hex"aabbccdd", bytes32(0), bytes32(0), bytes32(0), bytes32(0)));
        step.patches = new Patch[](4);
        step.patches[0] = Patch(4, NATIVE, 0, 2);
        step.patches[1] = Patch(36, SELF, 5, 7);
        step.patches[2] = Patch(68, address(token), 3, 4);
        step.patches[3] = Patch(100, address(token), 1e18, 100e18);
        (step.approveToken, step.spender) = (address(token), mallory);
        Order memory d = simple(100e18);
        d.nativeFee = 9;
        _pay(d, two(step, _into(bob)), 9);
        eq(
            recording.data(),
            abi.encodePacked(hex"aabbccdd", uint256(4), uint256(uint160(clone)), uint256(75e18), uint256(1e18)),
            "each in its place"
        );
    }

    function test_secondPatchIsCheckedToo() external {
        for (uint256 at = 0; at < 3; ++at) {
            Step[] memory steps = three(_noop(), _noop(), _into(bob));
            Patch[] memory patches = new Patch[](2);
            patches[0] = Patch(4, address(token), 0, 0);
            patches[1] = Patch(37, address(token), 0, 0);
            steps[at].patches = patches;
            runExpecting(
                abi.encodeWithSelector(IDepositRouter.StepPatchOutOfBounds.selector, at, 37, 68), simple(1e18), steps
            );
            patches[1] = Patch(36, address(token), MAX, 0);
            runExpecting(abi.encodeWithSelector(IDepositRouter.StepPatchOverflow.selector, at), simple(1e18), steps);
        }
    }

    // --- failures ---------------------------------------------------------------------------------------------------

    function test_failureNamesItsStepAndCannotPoseAsTheRouter() external {
        address poser = address(new Poser());
        bytes memory lie = abi.encodeWithSelector(IDepositRouter.InputBelowMinimum.selector, 1, 2);
        for (uint256 at = 0; at < 3; ++at) {
            Step[] memory steps = three(_noop(), _noop(), _into(bob));
            steps[at] = callStep(poser, lie);
            runExpecting(stepFailed(at, lie), simple(1e18), steps);
        }
    }

    function test_targetsAreCheckedInEveryStep() external {
        vm.etch(PERMIT2, hex"00");
        for (uint256 at = 0; at < 3; ++at) {
            address[4] memory refused = [address(router), implementation, nextClone(), PERMIT2];
            for (uint256 i = 0; i < 5; ++i) {
                Step[] memory steps = three(_noop(), _noop(), _into(bob));
                steps[at].target = i == 4 ? mallory : refused[i];
                bytes memory why = i == 4
                    ? abi.encodeWithSelector(IDepositRouter.StepTargetWithoutCode.selector, at, mallory)
                    : abi.encodeWithSelector(IDepositRouter.StepTargetForbidden.selector, at, refused[i]);
                runExpecting(why, simple(1e18), steps);
            }
        }
    }

    function test_approvalsAreRevokedAfterEveryStep() external {
        Token out = ordinary();
        for (uint256 at = 0; at < 3; ++at) {
            Step memory mint = callStep(address(out), abi.encodeCall(Token.mint, (bob, 1)));
            Step[] memory steps = three(_noop(), _noop(), mint);
            (steps[at].approveToken, steps[at].spender) = (address(token), mallory);
            address clone = nextClone();
            run(depositOf(address(token), 10e18, address(out)), steps);
            eq(token.allowance(clone, mallory), 0, "revoked");
        }
        eq(token.balanceOf(carol), 30e18, "and the money refunded");
    }

    function test_endWithoutReasonIsNotTheTargets() external {
        Order memory d = simple(10e18);
        bool seen;
        for (uint256 gas_ = 100_000; gas_ < 500_000 && !seen; gas_ += 500) {
            vm.prank(alice);
            (bool done, bytes memory reason) = address(router).call{gas: gas_}(
                abi.encodeCall(IDepositRouter.execute, (d, into(address(vault)), none()))
            );
            seen = !done && keccak256(reason) == keccak256(abi.encodeWithSelector(IDepositRouter.ExecutorFailed.selector));
        }
        ok(seen, "out of gas in the executor");
    }
}

/// @notice Takes native money.
contract Refund {
    fallback() external payable {}
}

/// @notice Stores its calldata.
contract Recording {
    bytes public data;

    fallback() external payable {
        data = msg.data;
    }
}
