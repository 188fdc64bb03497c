// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, IExecutor, Step} from "./support/IDepositRouter.sol";
import {RouterTest} from "./support/RouterTest.sol";

/// @notice The same bytecode at the same address, for every deployer and chain.
contract DeploymentTest is RouterTest {
    address private constant FACTORY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;

    function setUp() public override {
        super.setUp();
        vm.etch(
            FACTORY,
            hex"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"
        );
    }

    function _creationCode() private view returns (bytes memory) {
        return vm.getCode("DepositRouter.sol:DepositRouter");
    }

    function _expected() private view returns (address) {
        bytes32 digest = keccak256(abi.encodePacked(hex"ff", FACTORY, bytes32(0), keccak256(_creationCode())));
        return address(uint160(uint256(digest)));
    }

    function _deploy(address sender) private returns (address) {
        vm.prank(sender);
        (bool done, bytes memory answer) = FACTORY.call(bytes.concat(bytes32(0), _creationCode()));
        return done ? address(bytes20(answer)) : address(0);
    }

    function test_addressAndCodeAreTheSameOnEveryChainForEveryDeployer() external {
        uint256[3] memory chains = [uint256(1), 999, 42161];
        bytes32 codeHash;
        for (uint256 i = 0; i < 3; ++i) {
            uint256 id = vm.snapshotState();
            vm.chainId(chains[i]);
            address deployed = _deploy(i == 0 ? alice : mallory);
            eq(deployed, _expected(), "address");
            if (i != 0) eq(deployed.codehash, codeHash, "code");
            codeHash = deployed.codehash;
            vm.revertToState(id);
        }
    }

    function test_deployedTwiceIsDeployedOnce() external {
        ok(_deploy(alice) != address(0), "first");
        eq(_deploy(mallory), address(0), "second");
    }

    function test_executorIsTheRoutersFirstCreation() external view {
        eq(implementation, vm.computeCreateAddress(address(router), 1), "nonce one");
        ok(implementation.code.length != 0, "deployed by the constructor");
    }

    function test_twoRoutersHaveTwoExecutorsThatObeyOnlyTheirOwn() external {
        IDepositRouter other = IDepositRouter(_deploy(alice));
        IExecutor executor = other.executorImplementation();
        ok(address(executor) != implementation, "its own");
        vm.prank(address(router));
        vm.expectRevert(IDepositRouter.OnlyRouter.selector);
        executor.run(simple(1), new Step[](0), none());
    }

    function test_executorTakesNativeAndNothingElse() external {
        vm.deal(alice, 2);
        vm.prank(alice);
        (bool taken,) = implementation.call{value: 1}("");
        ok(taken, "vaults pay back natively");
        vm.prank(alice);
        (taken,) = implementation.call{value: 1}(hex"12345678");
        ok(!taken, "no fallback function");
    }

    function test_codeFitsEveryChain() external view {
        ok(address(router).code.length <= 24_576, "EIP-170");
        ok(implementation.code.length <= 24_576, "EIP-170");
        ok(_creationCode().length <= 49_152, "EIP-3860");
    }
}
